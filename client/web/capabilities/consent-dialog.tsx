/**
 * The one place where an agent gets something of this device: a modal dialog in the browser's top layer, above whatever else is drawn.
 * Loaded with the first question.
 */
import { Suspense, useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { Icon } from '../parts/icon.tsx';
import { Monogram } from '../parts/monogram.tsx';
import { Camera } from './camera.tsx';
import { ConsentObject } from './consent-object.tsx';
import type { Question } from './desk-parts.ts';
import { ASLEEP_MS } from './desk.ts';
import { useHost } from './host-context.ts';
import { readRequest } from './request.ts';
import { Revealed } from '../parts/revealed.tsx';
import { shownName } from '../parts/shown-name.ts';
import { capped } from '../parts/visible-text.ts';
import './consent.css';

/** Longest reason that is shown, in UTF-16 units. */
const REASON = 280;

export default function ConsentDialog({ question, waiting }: { question: Question; waiting: number }) {
  const { t } = useTranslation();
  const { desk } = useHost();
  const titleId = useId();
  const { request, work } = question;
  const agent = shownName(question.agentName);
  // Read once: what is on the screen does not change while it is looked at.
  const [call] = useState(() => readRequest(request));
  const dismiss = () => void desk.dismiss(request.hash);
  return (
    <TopLayer labelledBy={titleId} onClose={dismiss}>
      <header className="consent-head">
        <Monogram name={agent} />
        <h2 id={titleId}>{t(`consent.title.${request.capability}`, { agent })}</h2>
        <button type="button" className="icon-button" aria-label={t('consent.later')} title={t('consent.later')} onClick={dismiss}>
          <Icon name="close" />
        </button>
      </header>
      {work === null ? (
        <Suspense fallback={<div className="consent-body" aria-busy="true" />}>
          <Asking question={question} agent={agent}>
            <ConsentObject call={call} agent={agent} />
          </Asking>
        </Suspense>
      ) : (
        <div className="consent-body">
          {work.camera ? <Camera facing={work.camera.facing} onTaken={work.camera.taken} /> : <Working progress={work.progress} />}
          <button type="button" className="button" onClick={dismiss}>
            {t('consent.stop')}
          </button>
        </div>
      )}
      {waiting > 0 && (
        <p className="consent-waiting numbers" role="status">
          {t('consent.waiting', { count: waiting })}
        </p>
      )}
    </TopLayer>
  );
}

function Asking({ question, agent, children }: { question: Question; agent: string; children: ReactNode }) {
  const { t } = useTranslation();
  const { desk } = useHost();
  const [remember, setRemember] = useState(false);
  const [entered, setEntered] = useState(false);
  const { request } = question;
  const awake = useAwake(question.needsTap);
  // The time to look at it begins when all of it is there.
  useEffect(() => desk.rearm(), [desk]);
  const onAllowKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    setEntered(true);
  };
  return (
    <div className="consent-body">
      {question.needsTap && <p className="consent-fact">{t('consent.needsTap', { agent })}</p>}
      {children}
      <Reason text={request.reason} agent={agent} />
      {question.canRemember && !question.needsTap && (
        <label className="consent-remember">
          <input type="checkbox" checked={remember} onChange={(event) => setRemember(event.target.checked)} />
          <span>
            {t('consent.remember', { agent })}
            <small>{t('consent.rememberLead')}</small>
          </span>
        </label>
      )}
      <div className="consent-actions">
        <button type="button" className="button" onClick={() => void desk.decline(request.hash)}>
          {t('consent.decline')}
        </button>
        <button
          type="button"
          className="button primary"
          aria-disabled={!awake}
          aria-keyshortcuts="Space"
          onKeyDown={onAllowKey}
          onClick={() => awake && void desk.allow(request.hash, remember)}
        >
          {t('consent.allow')}
        </button>
      </div>
      {entered && (
        <p className="consent-fact" role="status">
          {t('consent.enter')}
        </p>
      )}
    </div>
  );
}

/** The agent's own words, marked as such: never more than a quotation. */
function Reason({ text, agent }: { text: string; agent: string }) {
  const { t } = useTranslation();
  if (text.trim() === '') return <p className="consent-fact">{t('consent.noReason', { agent })}</p>;
  return (
    <figure className="consent-reason">
      <figcaption>{t('consent.reason', { agent })}</figcaption>
      <blockquote>
        <Revealed text={capped(text.replaceAll(/\s*\n\s*/g, ' '), REASON)} />
      </blockquote>
    </figure>
  );
}

function Working({ progress }: { progress: number | null }) {
  const { t } = useTranslation();
  const words = t(progress === null ? 'consent.working' : 'consent.uploading');
  return (
    <div className="consent-working">
      <p role="status">{words}</p>
      <progress max={1} value={progress ?? undefined} aria-label={words} />
    </div>
  );
}

/** Whether the question was on the screen for long enough, since it came up or since the page was last looked away from. */
function useAwake(again: boolean): boolean {
  const [awake, setAwake] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const sleep = () => {
      setAwake(false);
      clearTimeout(timer);
      // A little later than the desk itself, so that a button that looks awake is.
      timer = setTimeout(() => setAwake(true), ASLEEP_MS + 50);
    };
    sleep();
    document.addEventListener('visibilitychange', sleep);
    window.addEventListener('focus', sleep);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', sleep);
      window.removeEventListener('focus', sleep);
    };
  }, [again]);
  return awake;
}

/** A native modal dialog, so that nothing of the page can stand above it. Its focus is on itself: no key does anything until one moves. */
function TopLayer({ labelledBy, onClose, children }: { labelledBy: string; onClose: () => void; children: ReactNode }) {
  const ref = useRef<HTMLDialogElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    const before = document.activeElement;
    dialog.showModal();
    dialog.focus();
    const onCancel = (event: Event) => {
      event.preventDefault();
      close.current();
    };
    // A browser may close a dialog whose `cancel` was prevented before: that is an answer too.
    const onClosed = () => dialog.open || close.current();
    dialog.addEventListener('cancel', onCancel);
    dialog.addEventListener('close', onClosed);
    return () => {
      dialog.removeEventListener('cancel', onCancel);
      dialog.removeEventListener('close', onClosed);
      dialog.close();
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  return createPortal(
    <div data-react-aria-top-layer="true">
      <dialog ref={ref} className="consent" aria-labelledby={labelledBy} tabIndex={-1}>
        {children}
      </dialog>
    </div>,
    document.body,
  );
}
