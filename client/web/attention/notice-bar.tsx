/** A notice: plain words at the top of the page that go by themselves. A tap leads to the conversation, and does nothing else. */
import { useState } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { noticeHeading } from './notice-heading.ts';
import { allowOutside, outsideState } from './outside.ts';
import { Icon } from '../parts/icon.tsx';
import { Monogram } from '../parts/monogram.tsx';
import { conversationHref } from '../screens/route.ts';
import type { ShownNotice } from './notices.ts';
import { Revealed } from '../parts/revealed.tsx';
import './notice.css';

export default function NoticeBar({ notice, onClose }: { notice: ShownNotice; onClose: () => void }) {
  const { t } = useTranslation();
  // Asked for where it was missed: what came while nobody looked.
  const [offered, setOffered] = useState(notice.kind === 'need' && notice.missed && outsideState() === 'default');
  const allow = async () => {
    await allowOutside();
    setOffered(false);
  };
  return createPortal(
    <div className={`notice ${notice.kind}`} data-react-aria-top-layer="true" role="status">
      <a className="notice-go" href={conversationHref(notice.conversation)} onClick={onClose}>
        <Monogram name={notice.agent} />
        <span className="notice-words">
          <span className="notice-from">{noticeHeading(notice, t)}</span>
          <span className="notice-title">
            <Revealed text={notice.title} />
          </span>
          {notice.body !== '' && (
            <span className="notice-body">
              <Revealed text={notice.body} />
            </span>
          )}
        </span>
      </a>
      <button type="button" className="icon-button" aria-label={t('notice.close')} onClick={onClose}>
        <Icon name="close" />
      </button>
      {offered && (
        <button type="button" className="text-button notice-outside" onClick={() => void allow()}>
          {t('notice.outside')}
        </button>
      )}
    </div>,
    document.body,
  );
}
