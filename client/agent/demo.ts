/** The demo agent: shows on a phone everything that an agent can do. It is also the example to begin an agent of one's own from. */
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Chat } from './chat.ts';
import { abilityIn, escape, languageOf, WORDS, type Ability, type Language, type Words } from './demo-words.ts';
import type { LineUpAgent } from './lineup-agent.ts';
import { paintSunrise } from './picture.ts';
import type { Unanswered } from './questions.ts';

/** Pauses of a thoughtful agent, in ms. */
export interface Pace {
  /** Between two words of a streamed answer. */
  word: number;
  /** For one step of longer work. */
  step: number;
}

const LIVELY: Pace = { word: 25, step: 900 };
const LONG_ANSWER_PARAGRAPHS = 24;
const PROGRESS_PER_STEP = 4;

/** Makes an agent the demo agent. */
export function demo(agent: LineUpAgent, pace: Pace = LIVELY): void {
  const colour = agent.choice('demo.colour', async (chat, answer, note) => {
    const words = wordsOf(note);
    await say(chat, answer.status === 'completed' ? words.choice.chosen(escape(answer.result.selected.join(', '))) : unanswered(words, answer));
  });

  const plants = agent.confirm('demo.plants', async (chat, answer, note) => {
    const words = wordsOf(note);
    if (answer.status !== 'completed') return say(chat, unanswered(words, answer));
    await say(chat, answer.result.confirmed ? words.confirm.confirmed : words.confirm.declined);
  });

  const name = agent.input('demo.name', async (chat, answer, note) => {
    const words = wordsOf(note);
    await say(chat, answer.status === 'completed' ? words.input.thanks(escape(answer.result.value)) : unanswered(words, answer));
  });

  const abilities: Record<Ability, (chat: Chat, words: Words, note: { language: Language }) => Promise<void>> = {
    help: (chat, words) => say(chat, words.help),

    choice: (chat, { choice }, note) => chat.ask(colour, { question: choice.question, options: [...choice.options] }, note),

    confirm: (chat, { confirm }, note) =>
      chat.ask(plants, { question: confirm.question, confirm_label: confirm.yes, cancel_label: confirm.no }, note),

    input: (chat, { input }, note) => chat.ask(name, { question: input.question, placeholder: input.placeholder, max_length: 40 }, note),

    image: (chat, { image }) => chat.image(paintSunrise(), { mimeType: 'image/png', ...image }),

    async file(chat, { file }) {
      await chat.file(new TextEncoder().encode(file.content), { name: file.name, mimeType: 'text/csv' });
      await say(chat, file.said);
    },

    markdown: (chat, words) => say(chat, words.markdown),

    async long(chat, words) {
      const paragraphs = Array.from({ length: LONG_ANSWER_PARAGRAPHS }, (_, i) => words.long(i + 1));
      await say(chat, paragraphs.join(''));
    },

    async progress(chat, { progress }) {
      const parts = progress.steps.length * PROGRESS_PER_STEP;
      for (const [i, step] of progress.steps.entries()) {
        await chat.working(step);
        for (let part = 0; part < PROGRESS_PER_STEP; part++) {
          chat.progress(Math.round((100 * (i * PROGRESS_PER_STEP + part)) / parts), step);
          await chat.wait(pace.step / PROGRESS_PER_STEP);
        }
      }
      chat.progress(100);
      await say(chat, progress.done);
    },

    async edit(chat, { edit }) {
      const said = await chat.say(edit.before);
      await chat.wait(pace.step * 2);
      await chat.edit(said, edit.after);
    },

    error: (chat, words) => chat.fail('demo_error', words.error, true),

    async tools(chat, words) {
      await chat.working(words.tools.asking);
      await say(chat, await toolTable(chat, words));
    },
  };

  /** An answer is written word by word, as a model would write it. */
  async function say(chat: Chat, answer: string): Promise<void> {
    await chat.stream(wordByWord(chat, answer, pace.word));
  }

  agent.onPaired(async (chat, device) => {
    await chat.say(`Hello, ${escape(device.name)}! Send **help** to see what I can do.\n\n你好！发送 **帮助** 看看我能做什么。`);
  });

  agent.onText(async (chat, { payload }) => {
    const language = languageOf(payload.content);
    const words = WORDS[language];
    const ability = abilityIn(payload.content);
    if (ability) await abilities[ability](chat, words, { language });
    else await say(chat, words.echo(payload.content.slice(0, 2_000).toWellFormed()));
  });

  agent.onImage(async (chat, { payload }) => say(chat, WORDS[languageOf(payload.caption ?? '')].gotImage));
  agent.onFile(async (chat, { payload }) => say(chat, WORDS[languageOf(payload.name)].gotFile(payload.name, payload.size)));
}

async function* wordByWord(chat: Chat, text: string, pause: number): AsyncGenerator<string> {
  for (const word of text.match(/\p{Script=Han}{1,2}|\S+\s*|\s+/gu) ?? []) {
    yield word;
    await chat.wait(pause);
  }
}

async function toolTable(chat: Chat, { tools }: Words): Promise<string> {
  const devices = await chat.devices();
  if (devices.every((device) => device.tools === null)) return tools.none;
  const rows = devices.flatMap((device) => {
    const shown = escape(device.name) + (device.online ? '' : ` (${tools.offline})`);
    if (!device.tools) return [`| ${shown} | ${tools.unknown} | |`];
    return device.tools.map((tool) => `| ${shown} | ${escape(tool.name)} | ${tool.actions.map(escape).join(', ')} |`);
  });
  return tools.row + rows.join('\n');
}

function wordsOf(note: JsonObject): Words {
  return WORDS[note.language === 'zh' ? 'zh' : 'en'];
}

function unanswered(words: Words, { status }: Unanswered): string {
  return words.unanswered[status];
}
