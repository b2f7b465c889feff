/** What the demo agent says, in the two languages that it speaks. */
import { TOUR_WORDS, type TourWords } from './demo-tour-words.ts';

/** Everything that the demo agent can be asked to do. */
export type Ability =
  | 'help'
  | 'choice'
  | 'confirm'
  | 'input'
  | 'image'
  | 'file'
  | 'markdown'
  | 'long'
  | 'progress'
  | 'edit'
  | 'error'
  | 'tools'
  | 'tour';

/** The demo agent in one language. */
export interface Words {
  /** What a user writes for each ability, the first of them as help shows it. In the order in which they are looked for: a greeting counts last. */
  names: Record<Ability, readonly string[]>;
  help: string;
  echo: (text: string) => string;
  choice: { question: string; options: readonly string[]; chosen: (options: string) => string };
  confirm: { question: string; yes: string; no: string; confirmed: string; declined: string };
  input: { question: string; placeholder: string; thanks: (name: string) => string };
  unanswered: Record<'rejected' | 'cancelled' | 'expired' | 'unsupported' | 'failed', string>;
  image: { alt: string; caption: string };
  file: { name: string; content: string; said: string };
  markdown: string;
  long: (paragraph: number) => string;
  progress: { steps: readonly string[]; done: string };
  edit: { before: string; after: string };
  error: string;
  tools: { asking: string; none: string; row: string; offline: string; unknown: string };
  tour: TourWords;
  gotImage: string;
  gotFile: (name: string, bytes: number) => string;
}

const en: Words = {
  names: {
    choice: ['choice', 'choose'],
    confirm: ['confirm'],
    input: ['input', 'ask'],
    image: ['image', 'picture', 'draw'],
    file: ['file'],
    markdown: ['markdown', 'table', 'code'],
    long: ['long'],
    progress: ['progress'],
    edit: ['edit'],
    error: ['error', 'fail'],
    tools: ['tools'],
    tour: ['tour'],
    help: ['help', '?', 'hello', 'hi'],
  },
  help: `I am the **demo agent**. No model stands behind me: I show what an agent can do on your phone. Send one of these words:

| word | what happens |
| --- | --- |
| **choice** | I ask you to pick an option |
| **confirm** | I ask for a yes or a no |
| **input** | I ask you for a text |
| **image** | I paint a picture and send it |
| **file** | I send a small file |
| **markdown** | headings, a list, a table and code |
| **long** | a long answer: try the stop button |
| **progress** | work that takes a while |
| **edit** | I change what I have said |
| **error** | something goes wrong |
| **tools** | what your devices can do |
| **tour** | all of it: every tool, surfaces, apps, permissions |

Anything else I repeat. 中文也可以：试试 **帮助**。`,
  echo: (text) => `You wrote:\n\n${quote(text)}\n\nI only repeat what you say. Send **help** to see what else I can do.`,
  choice: {
    question: 'Which colour do you like best?',
    options: ['Red', 'Green', 'Blue', 'None of them'],
    chosen: (options) => `You chose **${options}**. I will remember that until you choose again.`,
  },
  confirm: {
    question: 'Shall I water the plants while you are away?',
    yes: 'Please do',
    no: 'No, thanks',
    confirmed: 'Good. (I am a demo: please ask a neighbour as well.)',
    declined: 'All right, the plants stay dry.',
  },
  input: { question: 'What may I call you?', placeholder: 'Your name', thanks: (name) => `Nice to meet you, **${name}**.` },
  unanswered: {
    rejected: 'You closed the question. That is an answer, too.',
    cancelled: 'I took the question back.',
    expired: 'Nobody answered in time.',
    unsupported: 'Your device does not know this kind of question.',
    failed: 'The question could not be asked.',
  },
  image: { alt: 'A sunrise behind three rows of hills', caption: 'Painted pixel by pixel, just now' },
  file: {
    name: 'weather.csv',
    content: 'city,temperature_c,wind_kmh\nBeijing,22,9\nHamburg,14,24\nNairobi,25,12\n',
    said: 'Here is the weather as a file.',
  },
  markdown: `# A heading

Text with **bold**, *italic*, \`code\` and a [link](https://example.com).

1. first
2. second
   - and below it

> A quotation.

| city | °C | wind |
| --- | ---: | :---: |
| Beijing | 22 | 9 km/h |
| Hamburg | 14 | 24 km/h |

\`\`\`ts
agent.onText((chat, { payload }) => chat.say(\`You said: \${payload.content}\`));
\`\`\`

- [x] written
- [ ] read`,
  long: (paragraph) =>
    `**${paragraph}.** Somewhere a machine at home is working on this answer, and every few words of it travel to your phone as they are written. You can read along, scroll up without losing your place, close the page and come back, or press stop whenever you have had enough; what was written until then stays.\n\n`,
  progress: { steps: ['Looking for the pieces', 'Putting them together', 'Polishing'], done: 'Done: all three steps are behind me.' },
  edit: { before: 'The meeting is on **Tuesday**.', after: 'The meeting is on **Wednesday**. (I changed this message.)' },
  error: 'This is what it looks like when an agent fails. Nothing is really broken.',
  tools: {
    asking: 'asking your devices',
    none: 'No device of yours has told me about its tools yet.',
    row: '| device | tool | actions |\n| --- | --- | --- |\n',
    offline: 'offline',
    unknown: 'has told me nothing',
  },
  tour: TOUR_WORDS.en,
  gotImage: 'Thank you for the picture. I cannot see, but I know that it arrived.',
  gotFile: (name, bytes) => `**${escape(name)}** has arrived: ${bytes} bytes.`,
};

const zh: Words = {
  names: {
    choice: ['选择', '选项'],
    confirm: ['确认'],
    input: ['输入'],
    image: ['图片', '画图', '画'],
    file: ['文件'],
    markdown: ['格式', '表格', '代码'],
    long: ['长文'],
    progress: ['进度'],
    edit: ['修改', '编辑'],
    error: ['错误', '出错'],
    tools: ['工具'],
    tour: ['导览'],
    help: ['帮助', '你好', '您好', '？'],
  },
  help: `我是**演示智能体**，背后没有模型，只用来展示智能体能在你的手机上做什么。发送下面任意一个词：

| 词 | 会发生什么 |
| --- | --- |
| **选择** | 请你选一个选项 |
| **确认** | 请你回答是或否 |
| **输入** | 请你输入一段文字 |
| **图片** | 我画一幅画发给你 |
| **文件** | 我发一个小文件 |
| **格式** | 标题、列表、表格和代码 |
| **长文** | 很长的回答，可以试试停止按钮 |
| **进度** | 需要一些时间的工作 |
| **修改** | 我修改刚才说过的话 |
| **错误** | 出错时的样子 |
| **工具** | 你的设备有哪些工具 |
| **导览** | 全部看一遍：工具、界面、应用、权限 |

别的话我会重复一遍。English works, too: try **help**.`,
  echo: (text) => `你写道：\n\n${quote(text)}\n\n我只会重复你说的话。发送 **帮助** 看看我还会什么。`,
  choice: {
    question: '你最喜欢哪种颜色？',
    options: ['红色', '绿色', '蓝色', '都不喜欢'],
    chosen: (options) => `你选了**${options}**。我会记住，直到你再选一次。`,
  },
  confirm: {
    question: '你不在家的时候，要我浇花吗？',
    yes: '好的',
    no: '不用了',
    confirmed: '好。（我只是演示，请也拜托一下邻居。）',
    declined: '好吧，那花就先渴着。',
  },
  input: { question: '我该怎么称呼你？', placeholder: '你的名字', thanks: (name) => `很高兴认识你，**${name}**。` },
  unanswered: {
    rejected: '你关掉了问题，这也是一种回答。',
    cancelled: '我把问题收回了。',
    expired: '没有人及时回答。',
    unsupported: '你的设备不认识这种问题。',
    failed: '问题没能问出来。',
  },
  image: { alt: '三重山峦后的日出', caption: '刚刚一个像素一个像素画的' },
  file: { name: '天气.csv', content: '城市,温度,风速\n北京,22,9\n汉堡,14,24\n内罗毕,25,12\n', said: '这是天气文件。' },
  markdown: `# 标题

文字可以**加粗**、*倾斜*，也可以有 \`代码\` 和[链接](https://example.com)。

1. 第一
2. 第二
   - 下面还有一层

> 一段引文。

| 城市 | 温度 | 风 |
| --- | ---: | :---: |
| 北京 | 22 | 9 km/h |
| 汉堡 | 14 | 24 km/h |

\`\`\`ts
agent.onText((chat, { payload }) => chat.say(\`你说：\${payload.content}\`));
\`\`\`

- [x] 写完
- [ ] 读完`,
  long: (paragraph) =>
    `**${paragraph}.** 家里的一台机器正在写这段回答，每写几个字就传到你的手机上。你可以边看边等，可以往上翻而不丢失位置，可以关掉页面再回来，也可以随时按停止；已经写下的会留下来。\n\n`,
  progress: { steps: ['寻找零件', '拼装', '打磨'], done: '完成：三步都做好了。' },
  edit: { before: '会议在**星期二**。', after: '会议在**星期三**。（我修改了这条消息。）' },
  error: '智能体出错时就是这个样子。其实什么都没有坏。',
  tools: {
    asking: '正在询问你的设备',
    none: '还没有设备告诉我它有哪些工具。',
    row: '| 设备 | 工具 | 动作 |\n| --- | --- | --- |\n',
    offline: '离线',
    unknown: '什么都没告诉我',
  },
  tour: TOUR_WORDS.zh,
  gotImage: '谢谢你的图片。我看不见，但我知道它到了。',
  gotFile: (name, bytes) => `**${escape(name)}** 已收到：${bytes} 字节。`,
};

/** A language that the demo agent speaks. */
export type Language = 'en' | 'zh';

/** The words of each language. */
export const WORDS: Readonly<Record<Language, Words>> = { en, zh };

/** The language of a text: Chinese when it has a Chinese character, English otherwise. */
export function languageOf(text: string): Language {
  return /\p{Script=Han}|？/u.test(text) ? 'zh' : 'en';
}

/** The ability that a text asks for: a short text in which one of its names stands, alone or among at most three other words. */
export function abilityIn(text: string): Ability | null {
  const plain = text.trim().toLowerCase();
  const words = plain.split(/[\s.,!:;。，！：；]+/u).filter((word) => word !== '');
  const { names } = WORDS[languageOf(plain)];
  const isShort = languageOf(plain) === 'zh' ? plain.length <= 8 : words.length <= 4;
  if (!isShort) return null;
  const has = (name: string) => (languageOf(plain) === 'zh' ? plain.includes(name) : words.includes(name));
  for (const [ability, spellings] of Object.entries(names)) if (spellings.some(has)) return ability as Ability;
  return null;
}

/** A text as a Markdown quotation that shows it as it is. */
function quote(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${escape(line)}`)
    .join('\n');
}

/** Markdown that shows a text as it is. */
export function escape(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~]/g, '\\$&');
}
