/** A code wants to be redeemed: at which relay, under which name, yes or no. One tap redeems once. */
import { useId, useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useApp } from '../parts/contexts.ts';
import { deviceName } from '../parts/device-name.ts';
import { useSeconds } from '../parts/use-seconds.ts';
import { useTroubleWords } from '../parts/use-trouble-words.ts';
import type { AppStore } from '../store/app-store.ts';
import type { Invitation } from '../store/invitation.ts';
import { canReach } from '../store/reach.ts';
import type { Trouble } from '../store/trouble.ts';
import { Mark } from './mark.tsx';
import { conversationHref } from './route.ts';

const KNOWN: readonly string[] = ['pairing_not_found', 'too_many'];

export function InvitationScreen({ invitation }: { invitation: Invitation }) {
  const { t } = useTranslation();
  const app = useApp();
  const id = useId();
  const troubleWords = useTroubleWords();
  const [name, setName] = useState(() => deviceName(t));
  const [pairing, setPairing] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  // In seconds since the epoch; the relay says how long, and trying earlier does not help.
  const [notBefore, setNotBefore] = useState(0);
  const wait = Math.max(0, notBefore - useSeconds(notBefore > 0));
  const pair = async (event: FormEvent) => {
    event.preventDefault();
    setPairing(true);
    setTrouble(null);
    const refused = await app.pair(invitation, name.trim());
    if (refused === null) goTo(app, invitation.conversationId);
    setPairing(false);
    setTrouble(refused);
    const limited = refused?.kind === 'refused' && refused.code === 'rate_limited';
    setNotBefore(limited ? Math.ceil(Date.now() / 1_000) + (refused.retryAfter ?? 60) : 0);
  };
  // A code that does not work will not work the next time either.
  const spent = trouble?.kind === 'refused' && trouble.code === 'pairing_not_found';
  const { host, origin } = new URL(invitation.relay);
  const reachable = canReach(origin);
  return (
    <main className="screen">
      <form className="screen-column middle" onSubmit={(event) => void pair(event)}>
        <Mark />
        <header>
          <h1 className="smaller">{t('pair.question')}</h1>
          <p className="lead">{t('pair.explain')}</p>
        </header>
        <dl className="invitation">
          <dt>{t('pair.relay')}</dt>
          <dd>{host}</dd>
          <dt>{t('pair.code')}</dt>
          <dd className="code">{`${invitation.code.slice(0, 4)}-${invitation.code.slice(4)}`}</dd>
        </dl>
        {origin !== location.origin && <p className="remark">{t(reachable ? 'pair.otherRelay' : 'pair.ownPage', { host, page: location.host })}</p>}
        {reachable && (
          <div className="field">
            <label className="field-label" htmlFor={id}>
              {t('pair.deviceName')}
            </label>
            <input id={id} className="text-field" value={name} maxLength={128} autoComplete="off" onChange={(event) => setName(event.target.value)} />
          </div>
        )}
        <div className="stack">
          {trouble && (
            <p className="problem numbers" role="alert">
              {words(trouble)}
            </p>
          )}
          {!reachable && (
            <a className="button primary wide" href={pageLink(invitation)}>
              {t('pair.openPage', { host })}
            </a>
          )}
          {reachable && !spent && (
            <button type="submit" className="button primary wide" disabled={pairing || wait > 0 || name.trim() === ''}>
              {pairing ? t('pair.pairing') : t('pair.yes')}
            </button>
          )}
          <button type="button" className="button wide" disabled={pairing} onClick={() => app.decline()}>
            {spent ? t('pair.otherCode') : t('pair.no')}
          </button>
        </div>
      </form>
    </main>
  );

  function words(what: Trouble): string {
    if (what.kind === 'refused' && what.code === 'rate_limited') return t('pair.problem.rate_limited', { seconds: wait });
    if (what.kind === 'refused' && KNOWN.includes(what.code)) return t(`pair.problem.${what.code as 'pairing_not_found' | 'too_many'}`);
    return troubleWords(what);
  }
}

/** Opens the conversation that the link was about, in place of the list. */
function goTo(app: AppStore, conversationId: string | undefined): void {
  app.view.flush();
  const { rows, pairings } = app.view.get();
  // The newest pairing is the last one.
  const wanted = conversationId ?? pairings.at(-1)?.conversationId;
  const row = rows.find(({ info }) => info.conversation_id === wanted);
  if (row) location.replace(conversationHref(row.key));
}

/** The same link at the relay's own page. */
function pageLink({ relay, code, conversationId }: Invitation): string {
  return `${new URL(relay).origin}/#pair=${code}${conversationId === undefined ? '' : `&conversation=${conversationId}`}`;
}
