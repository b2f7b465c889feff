/** A sheet from below (a dialog in the middle on wide screens): focus stays in it, Escape, back and a tap outside close it, a finger can pull it away. */
import { useRef, type PointerEvent, type ReactNode } from 'react';
import { Dialog, Heading } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { useTranslation } from 'react-i18next';
import { Icon } from './icon.tsx';
import { useBackCloses } from './use-back-closes.ts';

/** Pulled further than this many pixels, the sheet goes. */
const LET_GO = 96;

export function Sheet({ title, open, onClose, children }: { title: string; open: boolean; onClose: () => void; children: ReactNode }) {
  const { t } = useTranslation();
  const pull = usePull(onClose);
  useBackCloses(open, onClose);
  return (
    <ModalOverlay className="sheet-overlay" isOpen={open} onOpenChange={(next) => !next && onClose()} isDismissable>
      <Modal className="sheet" ref={pull.ref}>
        <Dialog>
          <div className="sheet-head" {...pull.handlers}>
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            <button type="button" className="icon-button" aria-label={t('settings.close')} onClick={onClose}>
              <Icon name="close" />
            </button>
          </div>
          <div className="sheet-body">{children}</div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function usePull(onClose: () => void) {
  const ref = useRef<HTMLDivElement>(null);
  const from = useRef<number | null>(null);
  const move = (distance: number) => {
    if (ref.current) ref.current.style.transform = distance > 0 ? `translateY(${distance}px)` : '';
  };
  const handlers = {
    onPointerDown(event: PointerEvent<HTMLDivElement>) {
      if (event.pointerType === 'mouse' || (event.target as Element).closest('button')) return;
      from.current = event.clientY;
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove(event: PointerEvent<HTMLDivElement>) {
      if (from.current !== null) move(event.clientY - from.current);
    },
    onPointerUp(event: PointerEvent<HTMLDivElement>) {
      if (from.current === null) return;
      const distance = event.clientY - from.current;
      from.current = null;
      if (distance > LET_GO) onClose();
      else move(0);
    },
    onPointerCancel() {
      from.current = null;
      move(0);
    },
  };
  return { ref, handlers };
}
