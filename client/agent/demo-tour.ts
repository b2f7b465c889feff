/** The demo agent's tour: every tool, a surface, an app by its id, and every capability, one after the other, whatever the answers are. */
import { CAPABILITY_NAMES, type CapabilityName } from '../../src/protocol/capabilities.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { UnansweredError, type Answer } from './answers.ts';
import type { Canvas } from './canvas.ts';
import type { Chat } from './chat.ts';
import type { TourWords } from './demo-tour-words.ts';
import type { SurfaceApp } from './surface.ts';

/** How long each step waits for the user, in ms. */
const STEP_MS = 5 * 60_000;
const PATIENCE = { expiresInMs: STEP_MS };

const HOUSE = [
  { path: 'M80 210V120L150 60L220 120V210Z', color: '#b3402e', width: 5 },
  { path: 'M135 210v-50h30v50', color: '#17666f', width: 5 },
  { path: 'M265 50a22 22 0 1 0 44 0a22 22 0 1 0-44 0Z', color: '#b7791f', width: 5 },
];

const BELL = {
  css: 'body{display:grid;gap:12px;justify-items:start;padding:16px;font:16px system-ui}button{min-height:44px;padding:0 20px;font:inherit}',
  js: `const said = document.getElementById('said');
const button = document.getElementById('ring');
LineUpSurface.onState((state) => {
  said.textContent = String(state.text ?? '');
  button.textContent = String(state.button ?? '');
});
button.addEventListener('click', () => LineUpSurface.event('ring', {}));`,
  html: '<p id="said"></p><button id="ring" type="button"></button>',
};

/** What the tour speaks through: it says one whole answer. */
type Say = (answer: string) => Promise<void>;

/** Shows everything. Each step says what it shows, and what came of it. @param plain makes a text of the user's safe to be said */
export async function tour(chat: Chat, words: TourWords, say: Say, plain: (text: string) => string): Promise<void> {
  const told = async (answer: Answer<{ message: string }>) =>
    say(answer.status === 'completed' ? words.answered(plain(answer.result.message)) : words.unanswered[answer.status]);

  await say(words.begin);
  const { choice, confirm, input } = words;
  await say(choice.says);
  await told(await chat.choice({ question: choice.question, options: [...choice.options] }, PATIENCE));
  await say(confirm.says);
  await told(await chat.confirm({ question: confirm.question }, PATIENCE));
  await say(input.says);
  await told(await chat.input({ question: input.question, placeholder: input.placeholder, max_length: 60 }, PATIENCE));
  await say(words.calculator.says);
  await told(await chat.tool('calculator', 'multiply', { a: 6, b: 7 }, PATIENCE));

  await say(words.canvas.says);
  const canvas = await openAndDraw(chat, words, say);

  await say(words.surface.says);
  const bell: SurfaceApp = { id: 'com.lineup.demo.bell', name: words.surface.name, version: '1.0.0', ...BELL };
  const surface = await chat.ui.open(bell, { text: words.surface.text, button: words.surface.button });
  await surface.patch({ text: words.surface.patched, button: words.surface.button });
  await say(words.app.says);
  const form: SurfaceApp = { id: 'com.lineup.form', name: words.app.name, version: '1.1.0' };
  await chat.ui.open(form, { title: words.app.title, fields: words.app.fields.map((field) => ({ ...field })) });

  for (const capability of CAPABILITY_NAMES) {
    const { says, reason } = words.capabilities[capability];
    await say(says);
    const answer = await chat.app.call(capability, argumentsOf(capability, words), reason, PATIENCE);
    await say(answer.status === 'completed' ? words.done : answer.code === 'cool_down' ? words.coolDown : words.unanswered[answer.status]);
  }

  if (canvas) await takePicture(canvas, words, say);
  // Nothing is left behind that still waits to be opened.
  await surface.close();
  await say(words.end);
}

async function openAndDraw(chat: Chat, words: TourWords, say: Say): Promise<Canvas | null> {
  return orSaid(words, say, async () => {
    const canvas = await chat.canvas({ width: 360, height: 240 }, PATIENCE);
    for (const stroke of HOUSE) await canvas.draw(stroke);
    await say(words.canvas.drew);
    return canvas;
  });
}

async function takePicture(canvas: Canvas, words: TourWords, say: Say): Promise<void> {
  await orSaid(words, say, async () => {
    const lines = (await canvas.snapshot()).split('<path').length - 1;
    await canvas.close();
    await say(words.canvas.closed(lines));
  });
}

/** Does it; where the device cannot, or the user has closed the board, says so and goes on. */
async function orSaid<T>(words: TourWords, say: Say, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnansweredError)) throw error;
    await say(words.unanswered[error.status]);
    return null;
  }
}

function argumentsOf(capability: CapabilityName, words: TourWords): JsonObject {
  switch (capability) {
    case 'app.open_url':
      return { url: 'https://example.com/' };
    case 'clipboard.write':
      return { text: words.clipboard };
    case 'artifact.save':
      return { ...words.artifact, mime_type: 'text/plain' };
    case 'device.pick_file':
    case 'device.location':
      return {};
    case 'device.take_photo':
      return { camera: 'back' };
    case 'app.notify':
      return { ...words.notice };
  }
}
