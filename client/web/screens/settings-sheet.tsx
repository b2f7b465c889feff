/** A few settings: language, appearance, and the ways out. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Language } from '../i18n/i18n.ts';
import { HostSettingsLink } from '../capabilities/host-settings-link.tsx';
import { useApp, usePreferences, useView } from '../parts/contexts.ts';
import { Sheet } from '../parts/sheet.tsx';
import { Segments } from '../parts/segments.tsx';
import type { Pairing } from '../store/pairings.ts';
import type { Theme } from '../store/preferences.ts';

const LANGUAGES: { value: Language; label: string }[] = [
  { value: 'en', label: 'English' },
  { value: 'zh-CN', label: '简体中文' },
];

export function SettingsSheet({ pairing, open, onClose }: { pairing: Pairing | null; open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const app = useApp();
  const preferences = usePreferences();
  const { language, theme } = useView(preferences.view);
  const [asked, setAsked] = useState<'unpair' | 'sign-out' | null>(null);
  const close = () => {
    setAsked(null);
    onClose();
  };
  const themes = (['system', 'light', 'dark'] satisfies Theme[]).map((value) => ({ value, label: t(`settings.theme.${value}`) }));
  return (
    <Sheet title={t('settings.title')} open={open} onClose={close}>
      <div className="settings">
        <Segments
          label={t('settings.language')}
          name="language"
          options={LANGUAGES}
          value={language}
          onChange={(value) => void preferences.setLanguage(value)}
        />
        <Segments label={t('settings.theme')} name="theme" options={themes} value={theme} onChange={(value) => void preferences.setTheme(value)} />
        {pairing && (
          <dl className="facts">
            <dt>{t('settings.agent')}</dt>
            <dd dir="auto">{pairing.agent.name}</dd>
            <dt>{t('settings.relay')}</dt>
            <dd>{new URL(pairing.relay).host}</dd>
            <dt>{t('settings.device')}</dt>
            <dd dir="auto">{pairing.deviceName}</dd>
          </dl>
        )}
        <div className="settings-actions">
          <HostSettingsLink onOpen={close} />
          <a className="button quiet" href="#/pair" onClick={close}>
            {t('list.pairAnother')}
          </a>
          {pairing && (
            <Way
              asked={asked === 'unpair'}
              label={t('settings.unpair', { agent: pairing.agent.name })}
              lead={t('settings.unpairLead', { agent: pairing.agent.name })}
              onAsk={(yes) => setAsked(yes ? 'unpair' : null)}
              onSure={() => {
                close();
                void app.unpair(pairing.key);
              }}
            />
          )}
          <Way
            asked={asked === 'sign-out'}
            label={t('settings.signOut')}
            lead={t('settings.signOutLead')}
            onAsk={(yes) => setAsked(yes ? 'sign-out' : null)}
            onSure={() => {
              close();
              void app.signOut();
            }}
          />
        </div>
      </div>
    </Sheet>
  );
}

/** Something that cannot be undone: asked about once more, in place. */
function Way(props: { asked: boolean; label: string; lead: string; onAsk: (yes: boolean) => void; onSure: () => void }) {
  const { t } = useTranslation();
  if (!props.asked) {
    return (
      <button type="button" className="button quiet-danger" onClick={() => props.onAsk(true)}>
        {props.label}
      </button>
    );
  }
  return (
    <div className="sure" role="group" aria-label={props.label}>
      <p>
        <b>{props.label}</b>
        <br />
        {props.lead}
      </p>
      <div className="card-actions">
        <button type="button" className="button" onClick={() => props.onAsk(false)}>
          {t('settings.keep')}
        </button>
        <button type="button" className="button danger" onClick={props.onSure}>
          {t('settings.sure')}
        </button>
      </div>
    </div>
  );
}
