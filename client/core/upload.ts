/** Uploads that tell how far they are. `fetch` cannot say it, so browsers use XMLHttpRequest here. */
import type { FileInfo } from '../../src/protocol/http.ts';
import { NetworkError, RelayError } from './errors.ts';

/** Gets bytes sent so far and bytes in all. */
export type UploadProgress = (sent: number, total: number) => void;

/**
 * Posts a file and reports progress.
 * @throws RelayError when the relay refuses, NetworkError when the connection breaks
 */
export function uploadWithProgress(
  url: URL,
  headers: Record<string, string>,
  content: Blob | Uint8Array<ArrayBuffer>,
  onProgress: UploadProgress,
): Promise<FileInfo> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', (event) => onProgress(event.loaded, event.total));
    request.addEventListener('error', () => reject(new NetworkError('connection failed')));
    request.addEventListener('abort', () => reject(new NetworkError('aborted')));
    request.addEventListener('load', () => {
      if (request.status < 200 || request.status > 299) {
        reject(RelayError.from(request.status, request.responseText, request.getResponseHeader('retry-after')));
        return;
      }
      try {
        resolve(JSON.parse(request.responseText) as FileInfo);
      } catch (error) {
        reject(new NetworkError(error));
      }
    });
    request.send(content);
  });
}
