/** `device.pick_file`: the user chooses one file, which goes to the relay; the agent gets its id. */
import { NeedsTap, type Handler } from '../handler.ts';
import { DISMISSED } from '../outcome.ts';
import { keepWithRelay } from './keep-with-relay.ts';

export const pickFile: Handler<'device.pick_file'> = async ({ accept }, context) => {
  const file = await chooseFile({ accept: accept ?? [] }, context.signal);
  return file === null ? DISMISSED : keepWithRelay('device.pick_file', file, file.name, context);
};

/**
 * Opens the system's own dialog. Null when the user closes it.
 * @throws NeedsTap when there was no tap that it could follow
 */
export function chooseFile(options: { accept: readonly string[]; capture?: string }, signal: AbortSignal): Promise<File | null> {
  if (!navigator.userActivation.isActive) return Promise.reject(new NeedsTap());
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = options.accept.join(',');
  if (options.capture !== undefined) input.setAttribute('capture', options.capture);
  return new Promise((resolve) => {
    input.addEventListener('change', () => resolve(input.files?.[0] ?? null));
    input.addEventListener('cancel', () => resolve(null));
    signal.addEventListener('abort', () => resolve(null), { once: true });
    input.click();
  });
}
