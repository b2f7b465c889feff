/** What exactly is asked for, big and whole. */
import { lazy, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { CapabilityArguments, CheckedCapability } from '../../../src/protocol/capabilities.ts';
import { utf8Bytes } from '../../../src/protocol/json.ts';
import { fileSize } from '../i18n/format.ts';
import { useLanguage } from '../parts/contexts.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Revealed } from '../parts/revealed.tsx';

/** Knows every public suffix there is, which is a lot to load for those who are asked something else. */
const ConsentAddress = lazy(() => import('./consent-address.tsx'));

export function ConsentObject({ call, agent }: { call: CheckedCapability; agent: string }) {
  const { t } = useTranslation();
  switch (call.name) {
    case 'app.open_url':
      return <ConsentAddress url={call.arguments.url} />;
    case 'clipboard.write':
      return <Words text={call.arguments.text} lead={t('consent.clipboard')} />;
    case 'artifact.save':
      return <Artifact {...call.arguments} />;
    case 'device.pick_file':
      return <Device icon="file">{[t('consent.pick', { agent }), accepted(call.arguments.accept)]}</Device>;
    case 'device.location':
      return <Device icon="place">{[t(call.arguments.high_accuracy ? 'consent.location.precise' : 'consent.location')]}</Device>;
    case 'device.take_photo':
      return <Device icon="camera">{[t('consent.photo', { agent })]}</Device>;
    case 'app.notify':
      return <Words text={[call.arguments.title, call.arguments.body ?? ''].join('\n').trim()} lead="" />;
  }

  function accepted(types: string[] | undefined): string | null {
    return types === undefined || types.length === 0 ? null : t('consent.pick.accept', { types: types.join(', ') });
  }
}

function Words({ text, lead }: { text: string; lead: string }) {
  const { t } = useTranslation();
  const facts = [t('consent.characters', { count: [...text].length }), t('consent.lines', { count: text.split('\n').length })];
  return (
    <div className="consent-object">
      <p className="consent-text" tabIndex={0} role="group" aria-label={t('consent.text')}>
        <Revealed text={text} />
      </p>
      <p className="consent-fact numbers">{[lead, ...facts].filter((fact) => fact !== '').join(' · ')}</p>
    </div>
  );
}

function Artifact({ name, mime_type, content }: CapabilityArguments<'artifact.save'>) {
  const { t } = useTranslation();
  const language = useLanguage();
  const type = mime_type ?? (content === undefined ? null : 'text/plain');
  const facts = [type, content === undefined ? t('consent.save.stored') : fileSize(utf8Bytes(content), language)];
  return (
    <div className="consent-object">
      <p className="consent-file">
        <Icon name="download" />
        <strong>
          <Revealed text={name} />
        </strong>
      </p>
      <p className="consent-fact numbers">{facts.filter((fact) => fact !== null).join(' · ')}</p>
      {content !== undefined && content !== '' && (
        <p className="consent-text" tabIndex={0} role="group" aria-label={t('consent.text')}>
          <Revealed text={content} />
        </p>
      )}
    </div>
  );
}

function Device({ icon, children }: { icon: IconName; children: (ReactNode | null)[] }) {
  const { t } = useTranslation();
  return (
    <div className="consent-object">
      <div className="consent-file">
        <Icon name={icon} />
        <div>{children.map((words, i) => words !== null && <p key={i}>{words}</p>)}</div>
      </div>
      <p className="consent-fact">{t('consent.system')}</p>
    </div>
  );
}
