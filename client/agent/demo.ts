/** The demo agent: shows on a phone everything that an agent can do. It is also the example to begin an agent of one's own from. */
import type { Unanswered } from './answers.ts';
import type { Chat } from './chat.ts';
import { abilityIn, escape, languageOf, WORDS, type Ability, type Words } from './demo-words.ts';
import { tour } from './demo-tour.ts';
import type { LineUpAgent } from './lineup-agent.ts';
import { paintSunrise } from './picture.ts';

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
  const abilities: Record<Ability, (chat: Chat, words: Words) => Promise<void>> = {
    help: (chat, words) => say(chat, words.help),

    // The answer may take hours. It reaches this line all the same, also when this program was started anew in between.
    async choice(chat, words) {
      const { question, options, chosen } = words.choice;
      const answer = await chat.choice({ question, options: [...options] });
      await say(chat, answer.status === 'completed' ? chosen(escape(answer.result.selected.join(', '))) : unanswered(words, answer));
    },

    async confirm(chat, words) {
      const { question, yes, no, confirmed, declined } = words.confirm;
      const answer = await chat.confirm({ question, confirm_label: yes, cancel_label: no });
      if (answer.status !== 'completed') return say(chat, unanswered(words, answer));
      await say(chat, answer.result.confirmed ? confirmed : declined);
    },

    async input(chat, words) {
      const { question, placeholder, thanks } = words.input;
      const answer = await chat.input({ question, placeholder, max_length: 40 });
      await say(chat, answer.status === 'completed' ? thanks(escape(answer.result.value)) : unanswered(words, answer));
    },

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

    tour: (chat, words) => tour(chat, words.tour, (answer) => say(chat, answer), escape),
  };

  /** An answer is written word by word, as a model would write it. */
  async function say(chat: Chat, answer: string): Promise<void> {
    await chat.say(wordByWord(chat, answer, pace.word));
  }

  agent.onPaired(async (chat, device) => {
    await chat.say(`Hello, ${escape(device.name)}! Send **help** to see what I can do.\n\n你好！发送 **帮助** 看看我能做什么。`);
  });

  agent.onText(async (chat, { payload }) => {
    const words = WORDS[languageOf(payload.content)];
    const ability = abilityIn(payload.content);
    if (ability) await abilities[ability](chat, words);
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
  const devices = await chat.tools();
  if (devices.every((device) => device.tools === null)) return tools.none;
  const rows = devices.flatMap((device) => {
    const shown = escape(device.name) + (device.online ? '' : ` (${tools.offline})`);
    if (!device.tools) return [`| ${shown} | ${tools.unknown} | |`];
    return device.tools.map((tool) => `| ${shown} | ${escape(tool.name)} | ${tool.actions.map(escape).join(', ')} |`);
  });
  return tools.row + rows.join('\n');
}

function unanswered(words: Words, { status }: Unanswered): string {
  return words.unanswered[status];
}
