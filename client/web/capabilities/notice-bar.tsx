/** A notice of an agent: plain words at the top of the page that go by themselves, and do nothing. */
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { Icon } from '../parts/icon.tsx';
import { Monogram } from '../parts/monogram.tsx';
import { useHost } from './host-context.ts';
import type { ShownNotice } from './notices.ts';
import { Revealed } from './revealed.tsx';
import { capped, plainVisible } from './visible-text.ts';
import './notice.css';

export default function NoticeBar({ notice }: { notice: ShownNotice }) {
  const { t } = useTranslation();
  const { notices } = useHost();
  const agent = capped(plainVisible(notice.agent), 40);
  return createPortal(
    <div className="notice" data-react-aria-top-layer="true" role="status">
      <Monogram name={agent} />
      <div className="notice-words">
        <p className="notice-from">{t('notice.from', { agent })}</p>
        <p className="notice-title">
          <Revealed text={notice.title} />
        </p>
        {notice.body !== '' && (
          <p className="notice-body">
            <Revealed text={notice.body} />
          </p>
        )}
      </div>
      <button type="button" className="icon-button" aria-label={t('notice.close')} onClick={() => notices.close(notice.id)}>
        <Icon name="close" />
      </button>
    </div>,
    document.body,
  );
}
