/** Files on their way: chosen, scaled, uploaded with progress, and then ready to be sent. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { FileInfo } from '../../../src/protocol/http.ts';
import { useConversation } from '../parts/contexts.ts';
import type { Trouble } from '../store/trouble.ts';
import { scaleImage } from './scale-image.ts';

export interface Attachment {
  id: number;
  file: File;
  /** A blob's address, for pictures. */
  preview: string | null;
  state: { name: 'uploading'; share: number } | { name: 'ready'; info: FileInfo } | { name: 'failed'; trouble: Trouble };
}

let lastId = 0;

export function useAttachments() {
  const store = useConversation();
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const current = useRef(attachments);
  useEffect(() => {
    current.current = attachments;
  }, [attachments]);
  useEffect(() => () => current.current.forEach(forgetPreview), []);

  const change = useCallback((id: number, state: Attachment['state']) => {
    setAttachments((all) => all.map((attachment) => (attachment.id === id ? { ...attachment, state } : attachment)));
  }, []);

  const upload = useCallback(
    async ({ id, file }: Attachment) => {
      const { fileBytes } = store.view.get().limits;
      change(id, { name: 'uploading', share: 0 });
      if (file.size > fileBytes) {
        change(id, { name: 'failed', trouble: { kind: 'too-large', limit: 'max_file_bytes', allowed: fileBytes } });
        return;
      }
      const answer = await store.outgoing.upload(file, (share) => change(id, { name: 'uploading', share }));
      change(id, answer.ok ? { name: 'ready', info: answer.file } : { name: 'failed', trouble: answer.trouble });
    },
    [store, change],
  );

  const add = useCallback(
    async (files: readonly File[]) => {
      const { fileBytes } = store.view.get().limits;
      for (const chosen of files) {
        const file = await scaleImage(withType(chosen), fileBytes);
        const preview = file.type.startsWith('image/') ? URL.createObjectURL(file) : null;
        const attachment: Attachment = { id: ++lastId, file, preview, state: { name: 'uploading', share: 0 } };
        setAttachments((all) => [...all, attachment]);
        void upload(attachment);
      }
    },
    [store, upload],
  );

  const remove = useCallback((id: number) => {
    setAttachments((all) => {
      all.filter((attachment) => attachment.id === id).forEach(forgetPreview);
      return all.filter((attachment) => attachment.id !== id);
    });
  }, []);

  return { attachments, add, remove, again: upload };
}

function forgetPreview({ preview }: Attachment): void {
  if (preview !== null) URL.revokeObjectURL(preview);
}

/** A file of a kind that the browser does not know still needs one to be sent. */
function withType(file: File): File {
  return file.type === '' ? new File([file], file.name, { type: 'application/octet-stream' }) : file;
}
