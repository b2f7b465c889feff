/** What stands behind this page: which relay, and whether something is missing, in words. */
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RelayHttp, type Health } from '../../core/http.ts';
import { rethrowUnlessTrouble } from '../store/trouble.ts';

type State = { name: 'asking' } | { name: 'silent' } | { name: 'there'; health: Health };

export function RelayCard() {
  const { t } = useTranslation();
  const [state, setState] = useState<State>({ name: 'asking' });
  useEffect(() => {
    let wanted = true;
    RelayHttp.health(location.origin).then(
      (health) => wanted && setState({ name: 'there', health }),
      (error: unknown) => {
        rethrowUnlessTrouble(error);
        if (wanted) setState({ name: 'silent' });
      },
    );
    return () => {
      wanted = false;
    };
  }, []);
  return (
    <section className="relay-card" aria-label={t('relay.title')}>
      <p className="relay-card-head">
        <b>{location.host}</b>
        {state.name === 'asking' && <span>{t('relay.asking')}</span>}
        {state.name === 'there' && (
          <span>
            {t('relay.ready')} · {t('relay.version', { version: state.health.version })}
          </span>
        )}
      </p>
      {state.name === 'silent' && <p className="bad">{t('relay.silent')}</p>}
      {state.name === 'there' && state.health.configured === false && <p className="bad">{t('relay.noKey')}</p>}
    </section>
  );
}
