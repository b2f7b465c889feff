/** `artifact.save`: a download, of words that came with the call or of a file of the conversation. */
import { saveBlob } from '../../parts/save-file.ts';
import type { Handler } from '../handler.ts';
import { completed, refused } from '../outcome.ts';

export const saveArtifact: Handler<'artifact.save'> = async ({ name, mime_type, content, file_id }, { files, signal }) => {
  const blob = file_id === undefined ? new Blob([content ?? ''], { type: mime_type ?? 'text/plain' }) : await files.download(file_id);
  if (blob === null) return refused('failed', 'file_unavailable', 'arguments.file_id: the file could not be fetched');
  if (signal.aborted) return refused('cancelled', 'dismissed', 'The user stopped it.');
  saveBlob(blob, name);
  return completed('artifact.save', { saved: true, name, size: blob.size });
};
