/** A file of the conversation as an address that an element can show. */
import { useCallback, useEffect, useState } from 'react';
import { useConversation } from '../parts/contexts.ts';
import { troubleOf } from '../store/trouble.ts';

export type FileState = { name: 'loading' } | { name: 'ready'; url: string } | { name: 'failed' };

/** Fetches the file, and again when asked to. */
export function useFile(fileId: string): { state: FileState; again: () => void } {
  const { files } = useConversation();
  const [tries, setTries] = useState(0);
  const [state, setState] = useState<FileState>({ name: 'loading' });
  useEffect(() => {
    let wanted = true;
    const show = (next: FileState) => wanted && setState(next);
    show({ name: 'loading' });
    files.url(fileId).then(
      (url) => show({ name: 'ready', url }),
      (error: unknown) => {
        troubleOf(error);
        show({ name: 'failed' });
      },
    );
    return () => {
      wanted = false;
    };
  }, [files, fileId, tries]);
  return { state, again: useCallback(() => setTries((count) => count + 1), []) };
}
