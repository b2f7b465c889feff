/** What a surface is called: its sign, the name it gives itself, and the id that it cannot choose freely. Drawn by the host, always. */
import { useTranslation } from 'react-i18next';
import { capped, plainVisible } from '../parts/visible-text.ts';
import { useConversationPart } from '../parts/contexts.ts';
import type { SurfaceApp } from './shelf.ts';

/** A name longer than this many UTF-16 units is cut. */
const MOST_NAME = 60;

/** The name an app gives itself, with nothing hidden in it. */
export function appName({ name }: Pick<SurfaceApp, 'name'>): string {
  return plainVisible(capped(name, MOST_NAME));
}

export function SurfaceLabel({ app, level }: { app: SurfaceApp; level?: 2 | 3 }) {
  const { t } = useTranslation();
  const agent = useConversationPart((view) => view.agent.name);
  const Name = level === undefined ? 'b' : (`h${level}` as const);
  return (
    <>
      <AppSign app={app} />
      <span className="surface-words">
        <Name className="surface-name" dir="auto">
          {appName(app)}
        </Name>
        <code className="surface-id" title={app.id}>
          {app.id}
        </code>
        <span className="surface-from">{t('surface.from', { agent })}</span>
      </span>
    </>
  );
}

/** A square with the first letter of the name: surfaces bring no pictures into the host. */
function AppSign({ app }: { app: SurfaceApp }) {
  const [first = '·'] = appName(app).trim();
  let sum = 11;
  for (const character of app.id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9_973;
  return (
    <span className="monogram surface-sign" style={{ '--monogram-hue': 130 + (sum % 270) } as React.CSSProperties} aria-hidden="true">
      {first.toUpperCase()}
    </span>
  );
}
