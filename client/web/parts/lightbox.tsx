/** One image, as large as the screen; a tap shows it in full size. */
import { useState } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { useTranslation } from 'react-i18next';
import { Icon } from './icon.tsx';
import { useBackCloses } from './use-back-closes.ts';

export function Lightbox({ url, alt, open, onClose }: { url: string; alt: string; open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const [whole, setWhole] = useState(false);
  useBackCloses(open, onClose);
  return (
    <ModalOverlay className="lightbox-overlay" isOpen={open} onOpenChange={(next) => !next && onClose()} isDismissable>
      <Modal className="lightbox">
        <Dialog aria-label={alt}>
          <div className="lightbox-scroll">
            <button type="button" aria-label={t('image.open')} onClick={() => setWhole(!whole)}>
              <img className={whole ? 'whole' : ''} src={url} alt={alt} />
            </button>
          </div>
          <button type="button" className="icon-button lightbox-close" aria-label={t('settings.close')} onClick={onClose}>
            <Icon name="close" />
          </button>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
