/** A file that is dropped anywhere on the page is for the conversation; otherwise the browser would open it in place of the app. */
import { useEffect } from 'react';

/** @param take gets what was dropped, while nothing lies over the conversation; absent where there is none */
export function useFileDrop(take?: (files: readonly File[]) => void): void {
  useEffect(() => {
    const onDrag = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      const covered = document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;
      if (event.type === 'drop' && !covered) take?.([...event.dataTransfer.files]);
    };
    window.addEventListener('dragover', onDrag);
    window.addEventListener('drop', onDrag);
    return () => {
      window.removeEventListener('dragover', onDrag);
      window.removeEventListener('drop', onDrag);
    };
  }, [take]);
}
