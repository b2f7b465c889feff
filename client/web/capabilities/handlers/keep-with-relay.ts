/** The end of what answers a file: its bytes go to the relay, and the agent gets the id. */
import type { HandlerContext } from '../handler.ts';
import { completed, DISMISSED, refused, type Outcome } from '../outcome.ts';

export async function keepWithRelay(
  capability: 'device.pick_file' | 'device.take_photo',
  file: Blob,
  name: string,
  { files, progress, signal }: HandlerContext,
): Promise<Outcome> {
  const mime_type = file.type === '' ? 'application/octet-stream' : file.type;
  const sent = file.type === '' ? new Blob([file], { type: mime_type }) : file;
  progress(0);
  const stored = await files.upload(sent, progress);
  if (signal.aborted) return DISMISSED;
  if (stored === null) return refused('failed', 'upload_failed', 'The file could not be stored with the relay.');
  // A name is the user's own; a lone surrogate in it would not survive the way.
  return completed(capability, { file_id: stored.file_id, name: name.toWellFormed(), mime_type, size: stored.size });
}
