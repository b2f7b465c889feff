/** Apps and permissions: what this device offers to agents, and what its user decided for good. Loaded when it is first opened. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CAPABILITIES, type CapabilityName } from '../../../src/protocol/capabilities.ts';
import { useHost } from '../capabilities/host-context.ts';
import type { Grant } from '../capabilities/policy.ts';
import { moment } from '../i18n/format.ts';
import { useApp, useLanguage, useView } from '../parts/contexts.ts';
import { shownName } from '../parts/shown-name.ts';
import { Sheet } from '../parts/sheet.tsx';
import { AppItem } from './app-item.tsx';
import { Switch } from './switch.tsx';
import './center.css';

export default function CenterSheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const host = useHost();
  const apps = useView(host.apps.view);
  const { capabilities, grants } = useView(host.policy.view);
  return (
    <Sheet title={t('host.title')} open={open} onClose={onClose}>
      <div className="settings center">
        <section className="center-part" aria-labelledby="center-apps">
          <h3 id="center-apps">{t('host.apps')}</h3>
          <p className="center-lead">{t('host.appsLead')}</p>
          <ul className="center-list">
            {apps.map((app) => (
              <AppItem key={app.id} app={app} />
            ))}
          </ul>
        </section>
        <section className="center-part" aria-labelledby="center-capabilities">
          <h3 id="center-capabilities">{t('host.capabilities')}</h3>
          <p className="center-lead">{t('host.capabilitiesLead')}</p>
          <ul className="center-list">
            {capabilities.map(({ name, offered }) => (
              <li key={name} className="center-item">
                <Switch
                  label={t(`capability.${name}`)}
                  lead={t(`capability.risk.${CAPABILITIES[name].risk}`)}
                  checked={offered}
                  onChange={(next) => host.policy.offer(name, next)}
                />
              </li>
            ))}
          </ul>
        </section>
        <section className="center-part" aria-labelledby="center-grants">
          <h3 id="center-grants">{t('host.grants')}</h3>
          {grants.length === 0 && <p className="center-lead">{t('host.grantsNone')}</p>}
          <ul className="center-list">
            {grants.map((grant) => (
              <GrantItem key={`${grant.agent} ${grant.capability}`} grant={grant} onRevoke={() => host.policy.revoke(grant)} />
            ))}
          </ul>
        </section>
        <Paused />
      </div>
    </Sheet>
  );
}

function GrantItem({ grant, onRevoke }: { grant: Grant; onRevoke: () => void }) {
  const { t } = useTranslation();
  const agent = useAgentNames()(grant.agent);
  const capability = t(`capability.${grant.capability satisfies CapabilityName}`);
  return (
    <li className="center-item center-row">
      <span>
        {capability}
        <small dir="auto">{agent}</small>
      </span>
      <button type="button" className="text-button" aria-label={t('host.revokeOf', { capability, agent })} onClick={onRevoke}>
        {t('host.revoke')}
      </button>
    </li>
  );
}

/** Agents that were told no twice in a row. */
function Paused() {
  const { t } = useTranslation();
  const { coolDown } = useHost();
  const language = useLanguage();
  const name = useAgentNames();
  const { pairings } = useView(useApp().view);
  const [, setCleared] = useState(0);
  const paused = pairings.flatMap(({ key }) => {
    const until = coolDown.until(key);
    return until === null ? [] : [{ key, agent: name(key), time: moment(new Date(until).toISOString(), language) }];
  });
  if (paused.length === 0) return null;
  return (
    <section className="center-part" aria-labelledby="center-paused">
      <h3 id="center-paused">{t('host.paused')}</h3>
      <ul className="center-list">
        {paused.map(({ key, agent, time }) => (
          <li key={key} className="center-item center-row">
            <span dir="auto">
              {agent}
              <small className="numbers">{t('host.pausedUntil', { time })}</small>
            </span>
            <button
              type="button"
              className="text-button"
              aria-label={t('host.unpauseOf', { agent })}
              onClick={() => {
                coolDown.clear(key);
                setCleared((count) => count + 1);
              }}
            >
              {t('host.unpause')}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The name of an agent by what it is filed under. */
function useAgentNames(): (key: string) => string {
  const { pairings } = useView(useApp().view);
  return (key) => shownName(pairings.find((pairing) => pairing.key === key)?.agent.name ?? key);
}
