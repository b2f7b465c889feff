/** The registry: which handler does which capability. Loaded when the first call comes. */
import type { CheckedCapability } from '../../../../src/protocol/capabilities.ts';
import type { Handler, HandlerContext, Handlers } from '../handler.ts';
import type { Outcome } from '../outcome.ts';
import { locate } from './locate.ts';
import { notify } from './notify.ts';
import { openUrl } from './open-url.ts';
import { pickFile } from './pick-file.ts';
import { saveArtifact } from './save-artifact.ts';
import { takePhoto } from './take-photo.ts';
import { writeClipboard } from './write-clipboard.ts';

const HANDLERS: Handlers = {
  'app.open_url': openUrl,
  'clipboard.write': writeClipboard,
  'artifact.save': saveArtifact,
  'device.pick_file': pickFile,
  'device.location': locate,
  'device.take_photo': takePhoto,
  'app.notify': notify,
};

/** Does a checked call. @throws NeedsTap when the browser wants a tap first */
export function run(call: CheckedCapability, context: HandlerContext): Promise<Outcome> {
  // The schema of this name made these arguments.
  return (HANDLERS[call.name] as Handler<typeof call.name>)(call.arguments as never, context);
}
