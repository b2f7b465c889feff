/** A conversation as the capability desk sees it: whom to answer, and whose files. */
import type { FileInfo } from '../../../src/protocol/http.ts';
import { rethrowUnlessTrouble, type Trouble } from '../store/trouble.ts';
import type { Caller } from './desk-parts.ts';
import type { AppResult } from './request.ts';

/** What a conversation offers for it. */
export interface CallerParts {
  conversationId: string;
  agent: string;
  agentName: () => string;
  isPending: (callId: string) => boolean;
  upload: (file: Blob, onProgress: (share: number) => void) => Promise<{ ok: true; file: FileInfo } | { ok: false; trouble: Trouble }>;
  download: (fileId: string) => Promise<Blob>;
  send: (type: 'lineup.v1.app.result', payload: AppResult) => Promise<Trouble | null>;
}

export function callerOf({ upload, download, send, ...rest }: CallerParts): Caller {
  return {
    ...rest,
    files: {
      async upload(file, onProgress) {
        const stored = await upload(file, onProgress);
        return stored.ok ? stored.file : null;
      },
      async download(fileId) {
        try {
          return await download(fileId);
        } catch (error) {
          rethrowUnlessTrouble(error);
          return null;
        }
      },
    },
    async answer(result) {
      const trouble = await send('lineup.v1.app.result', result);
      // A result is small and made here: one that cannot be sent is a fault of ours.
      if (trouble) throw new Error(`The result of ${result.call_id} could not be sent: ${trouble.kind}`);
    },
  };
}
