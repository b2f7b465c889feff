/** `artifact.save`: a download, of words that came with the call or of a file of the conversation. */
import type { Handler } from '../handler.ts';
import { completed, refused } from '../outcome.ts';

/** The browser reads the blob some time after the click; its address must live until then, in ms. */
const ADDRESS_LIVES_MS = 60_000;

export const saveArtifact: Handler<'artifact.save'> = async ({ name, mime_type, content, file_id }, { files, signal }) => {
  const blob = file_id === undefined ? new Blob([content ?? ''], { type: mime_type ?? 'text/plain' }) : await files.download(file_id);
  if (blob === null) return refused('failed', 'file_unavailable', 'arguments.file_id: the file could not be fetched');
  if (signal.aborted) return refused('cancelled', 'dismissed', 'The user stopped it.');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), ADDRESS_LIVES_MS);
  return completed('artifact.save', { saved: true, name, size: blob.size });
};
