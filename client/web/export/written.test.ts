import i18next from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Delivered } from '../../../src/protocol/envelope.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { en } from '../i18n/en.ts';
import type { About } from './about.ts';
import { asJson } from './as-json.ts';
import { asMarkdown, type Speech } from './as-markdown.ts';

const ME = { kind: 'app', id: 'dv_me' } as const;
const AGENT = { kind: 'agent', id: 'ag_1' } as const;
const about: About = {
  me: ME,
  agent: { id: 'ag_1', name: 'Hermes' },
  relay: 'https://relay.example',
  conversation: { id: 'cv_1', title: 'Kitchen *plan*' },
  exportedAt: new Date(2026, 10, 30, 8, 5).toISOString(),
};
let speech: Speech;

beforeAll(async () => {
  const spoken = i18next.createInstance();
  await spoken.init({
    lng: 'en',
    keySeparator: false,
    nsSeparator: false,
    interpolation: { escapeValue: false },
    resources: { en: { translation: en } },
  });
  speech = { t: spoken.t, language: 'en' };
});

let seq = 0;
function message(type: string, payload: JsonObject, sender: Delivered['sender'] = AGENT, ts = new Date(2026, 10, 29, 9, 41)): Delivered {
  seq++;
  return { v: 1, id: `m${seq}`, type, sender, seq, ts: ts.toISOString(), payload };
}

const question = (id: string, args: JsonObject) => message('tool.call', { name: 'input', action: 'ask', call_id: id, arguments: args });
const answer = (id: string, value: string) =>
  message('tool.result', { name: 'input', action: 'ask', call_id: id, result: { message: value, value } }, ME);

describe('a conversation in Markdown', () => {
  it('says who said what and when, day by day, as it was edited', () => {
    const text = message('text', { content: '# Paint\n\n- white' });
    const messages = [
      text,
      message('text', { content: 'go ahead' }, ME),
      message('text.edit', { message_id: text.id, content: '# Paint\n\n- grey' }),
      message('text', { content: 'a `b` ``` c', format: 'plain' }, AGENT, new Date(2026, 10, 30, 7, 0)),
    ];
    expect(asMarkdown(messages, about, speech)).toBe(
      [
        '# Hermes · Kitchen \\*plan\\*',
        'At relay.example, saved Monday, November 30, 2026 08:05.',
        '## Sunday, November 29, 2026',
        '**Hermes** · 09:41 · edited',
        '# Paint\n\n- grey',
        '**You** · 09:41',
        'go ahead',
        '## Monday, November 30, 2026',
        '**Hermes** · 07:00',
        '````\na `b` ``` c\n````',
      ].join('\n\n') + '\n',
    );
  });

  it('names files and pictures with their sizes, and gives no address that needs a token', () => {
    const written = asMarkdown(
      [
        message('file', { file_id: 'fl_1', name: 'plan [2].pdf', mime_type: 'application/pdf', size: 1_536 }),
        message('image', { file_id: 'fl_2', url: 'https://relay.example/v1/conversations/cv_1/files/fl_2', alt: 'a cat' }, ME),
        message('image', { url: 'https://example.com/dog.png', alt: 'a dog', caption: 'Good dog' }),
      ],
      about,
      speech,
    );
    expect(written).toContain('[plan \\[2\\].pdf] · 1.5 kB');
    expect(written).toContain('[a cat]');
    expect(written).not.toContain('/v1/');
    expect(written).toContain('![a dog](<https://example.com/dog.png>)\n\nGood dog');
  });

  it('tells what became of questions and calls, and of what it does not know', () => {
    const written = asMarkdown(
      [
        question('c1', { question: 'Your name?' }),
        answer('c1', 'Ada'),
        question('c2', { question: 'And yours?' }),
        message('lineup.v1.app.call', { call_id: 'c3', capability: 'app.open_url', reason: 'to read', arguments: {} }),
        message('lineup.v1.app.result', { call_id: 'c3', status: 'expired' }, { kind: 'relay' }),
        message('hologram', { x: 1 }),
        message('text', { sealed: 'eyJ' }),
        message('lineup.v1.ui.open', { instance_id: 'i', app: { id: 'a.b', name: 'Weather', version: '1.0.0' }, state: {} }),
      ],
      about,
      speech,
    );
    expect(written).toContain('Your name?\n\n→ Ada');
    expect(written).toContain('And yours?\n\n**Hermes**');
    expect(written).toContain('app.open_url · to read\n\n→ expired');
    expect(written).toContain('_A message of the kind “hologram”, which this version cannot show._');
    expect(written).toContain('_A sealed message');
    expect(written).toContain('_Showed “Weather”_');
  });
});

describe('secrets', () => {
  it('are in neither form: what was typed into a hidden field, or was suggested for one', () => {
    const messages = [
      question('s1', { question: 'Password?', secret: true, default: 'hunter1' }),
      answer('s1', 'hunter2'),
      answer('s0', 'hunter3'),
      question('o1', { question: 'City?' }),
      answer('o1', 'Paris'),
    ];
    for (const written of [asMarkdown(messages, about, speech), asJson(messages, about)]) {
      expect(written).not.toMatch(/hunter\d/);
      expect(written).toContain('Password?');
      expect(written).toContain('Paris');
    }
    expect(asMarkdown(messages, about, speech)).toContain('Password?\n\n→ hidden');
  });
});

it('in JSON every envelope is as the relay keeps it', () => {
  const messages = [message('text', { content: 'one', extra: { deep: [1] } }), message('text', { content: 'two' }, ME)];
  expect(JSON.parse(asJson(messages, about))).toEqual({
    format: 'lineup-conversation',
    version: 1,
    exported_at: about.exportedAt,
    relay: 'https://relay.example',
    agent: { id: 'ag_1', name: 'Hermes' },
    conversation: { id: 'cv_1', title: 'Kitchen *plan*' },
    messages,
  });
});
