/** The settings: of the conversation on the screen, of the app, of this device; and the ways out. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Language } from '../i18n/i18n.ts';
import { HostSettingsLink } from '../capabilities/host-settings-link.tsx';
import { useApp, usePreferences, useView } from '../parts/contexts.ts';
import { Sheet } from '../parts/sheet.tsx';
import { Segments } from '../parts/segments.tsx';
import { shownName } from '../parts/shown-name.ts';
import type { ConversationRow } from '../store/conversation-rows.ts';
import type { Pairing } from '../store/pairings.ts';
import { TEXT_SIZES, type Theme } from '../store/preferences.ts';
import { ConversationSettings } from './conversation-settings.tsx';
import { OutsideSetting } from './outside-setting.tsx';
import { Irrevocable } from './irrevocable.tsx';

const LANGUAGES: { value: Language; label: string }[] = [
  { value: 'en', label: 'English' },
  { value: 'zh-CN', label: '简体中文' },
];

interface Props {
  /** The conversation on the screen; null when there is none. */
  row: ConversationRow | null;
  /** The agent that the screen is about; null when it is about none. */
  pairing: Pairing | null;
  open: boolean;
  onClose: () => void;
  onExport: () => void;
}

export function SettingsSheet({ row, pairing, open, onClose, onExport }: Props) {
  const { t } = useTranslation();
  const app = useApp();
  const preferences = usePreferences();
  const [asked, setAsked] = useState<'delete' | 'unpair' | 'sign-out' | null>(null);
  const close = () => {
    setAsked(null);
    onClose();
  };
  const ask = (about: typeof asked) => (yes: boolean) => setAsked(yes ? about : null);
  return (
    <Sheet title={t('settings.title')} open={open} onClose={close}>
      <div className="settings">
        {row && (
          <ConversationSettings
            row={row}
            onClose={close}
            onExport={() => {
              close();
              onExport();
            }}
            asked={asked === 'delete'}
            onAsk={ask('delete')}
          />
        )}
        <Looks />
        {pairing && <Facts pairing={pairing} />}
        <div className="settings-actions">
          <HostSettingsLink onOpen={close} />
          <a className="button quiet" href="#/pair" onClick={close}>
            {t('list.pairAnother')}
          </a>
          {pairing && (
            <Irrevocable
              asked={asked === 'unpair'}
              label={t('settings.unpair', { agent: shownName(pairing.agent.name) })}
              verb={t('settings.unpairSure')}
              lead={t('settings.unpairLead', { agent: shownName(pairing.agent.name) })}
              onAsk={ask('unpair')}
              onSure={async () => {
                close();
                await app.unpair(pairing.key);
                location.replace('#/');
                return null;
              }}
            />
          )}
          <Irrevocable
            asked={asked === 'sign-out'}
            label={t('settings.signOut')}
            verb={t('settings.signOutSure')}
            lead={t('settings.signOutLead')}
            onAsk={ask('sign-out')}
            onSure={async () => {
              close();
              await app.signOut();
              // What was wanted here is forgotten too.
              await preferences.apply();
              return null;
            }}
          />
        </div>
      </div>
    </Sheet>
  );
}

function Looks() {
  const { t } = useTranslation();
  const preferences = usePreferences();
  const { language, theme, textSize } = useView(preferences.view);
  const themes = (['system', 'light', 'dark'] satisfies Theme[]).map((value) => ({ value, label: t(`settings.theme.${value}`) }));
  const sizes = TEXT_SIZES.map((value) => ({ value, label: t(`settings.text.${value}`) }));
  return (
    <div className="settings-part ruled">
      <Segments
        label={t('settings.language')}
        name="language"
        options={LANGUAGES}
        value={language}
        onChange={(value) => void preferences.setLanguage(value)}
      />
      <Segments label={t('settings.theme')} name="theme" options={themes} value={theme} onChange={(value) => void preferences.setTheme(value)} />
      <Segments label={t('settings.text')} name="text" options={sizes} value={textSize} onChange={(value) => void preferences.setTextSize(value)} />
      <OutsideSetting />
    </div>
  );
}

function Facts({ pairing }: { pairing: Pairing }) {
  const { t } = useTranslation();
  return (
    <div className="settings-part">
      <dl className="facts">
        <dt>{t('settings.agent')}</dt>
        <dd dir="auto">{shownName(pairing.agent.name)}</dd>
        <dt>{t('settings.relay')}</dt>
        <dd>{new URL(pairing.relay).host}</dd>
        <dt>{t('settings.device')}</dt>
        <dd dir="auto">{pairing.deviceName}</dd>
      </dl>
      {/* A device sees and revokes itself alone (§3): there is nothing to tap for the others. */}
      <p className="remark">{t('settings.otherDevices', { agent: shownName(pairing.agent.name) })}</p>
    </div>
  );
}
