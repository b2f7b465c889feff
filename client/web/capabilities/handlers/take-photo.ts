/** `device.take_photo`: the user takes one picture, in the dialog where there is a camera for pages, else with the system's own. */
import type { Handler } from '../handler.ts';
import { DISMISSED } from '../outcome.ts';
import { keepWithRelay } from './keep-with-relay.ts';
import { chooseFile } from './pick-file.ts';

export const takePhoto: Handler<'device.take_photo'> = async ({ camera = 'back' }, context) => {
  const inPage = (navigator as { mediaDevices?: MediaDevices }).mediaDevices !== undefined;
  const photo = inPage
    ? await context.photograph(camera)
    : await chooseFile({ accept: ['image/*'], capture: camera === 'front' ? 'user' : 'environment' }, context.signal);
  if (photo === null) return DISMISSED;
  const name = photo instanceof File ? photo.name : 'photo.jpg';
  return keepWithRelay('device.take_photo', photo, name, context);
};
