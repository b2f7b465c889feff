/** What the demo agent says on its tour. */
import type { CapabilityName } from '../../src/protocol/capabilities.ts';

/** Why a step came to nothing. */
type Unanswered = 'rejected' | 'cancelled' | 'expired' | 'unsupported' | 'failed';

/** The tour in one language. */
export interface TourWords {
  begin: string;
  choice: { says: string; question: string; options: readonly string[] };
  confirm: { says: string; question: string };
  input: { says: string; question: string; placeholder: string };
  calculator: { says: string };
  canvas: { says: string; drew: string; closed: (lines: number) => string };
  surface: { says: string; name: string; text: string; button: string; patched: string };
  app: { says: string; name: string; title: string; fields: readonly { name: string; label: string; type?: string; required?: boolean }[] };
  capabilities: Record<CapabilityName, { says: string; reason: string }>;
  /** What goes out by a capability. */
  clipboard: string;
  artifact: { name: string; content: string };
  notice: { title: string; body: string };
  answered: (what: string) => string;
  done: string;
  /** The device answered for a user who had said no twice in a row. */
  coolDown: string;
  unanswered: Record<Unanswered, string>;
  end: string;
}

const en: TourWords = {
  begin:
    'Let me show you around: five tools, a surface, an app, and seven things that only you can allow. Say no to whatever you like; I go on. After two noes in a row your device says no to the rest by itself, for five minutes.',
  choice: { says: '**Choice.** I offer, you pick.', question: 'Where do we begin?', options: ['At the window', 'At the door', 'In the garden'] },
  confirm: { says: '**Confirm.** A yes or a no.', question: 'Is it warm enough in here?' },
  input: { says: '**Input.** A text of yours.', question: 'What should I call this tour?', placeholder: 'A name' },
  calculator: { says: '**Calculator.** Your device works this out without you: 6 × 7.' },
  canvas: {
    says: '**Canvas.** A drawing board for both of us. Open it and draw along; it stays until the tour ends.',
    drew: 'I drew a house and a sun.',
    closed: (lines) => `The drawing had ${lines} lines when I took its picture. I have closed the board.`,
  },
  surface: {
    says: '**A surface.** A small program of mine, sealed off from everything else. Your app asks before it runs.',
    name: 'Tour bell',
    text: 'This page came from the agent.',
    button: 'Ring',
    patched: 'This is its second state: I changed it from here.',
  },
  app: {
    says: '**An app of your own.** I name it, your app brings the code.',
    name: 'Form',
    title: 'How was the tour?',
    fields: [
      { name: 'best', label: 'What was best?', required: true },
      { name: 'again', label: 'Once more?', type: 'switch' },
    ],
  },
  capabilities: {
    'app.open_url': { says: '**Open a link**, if you allow it.', reason: 'To show you an example page' },
    'clipboard.write': { says: '**Fill your clipboard.**', reason: 'So that you can paste a greeting' },
    'artifact.save': { says: '**Save a file** on your device.', reason: 'A souvenir of the tour' },
    'device.pick_file': { says: '**Ask for a file.** You choose which.', reason: 'To show that a file of yours reaches me' },
    'device.location': { says: '**Ask where you are.**', reason: 'To show what I would learn' },
    'device.take_photo': { says: '**Ask for a photo.** You press the button.', reason: 'To show that a picture reaches me' },
    'app.notify': { says: '**Show a notice.** It needs no permission.', reason: 'To show what a notice looks like' },
  },
  clipboard: 'Greetings from the tour',
  artifact: { name: 'tour.txt', content: 'You were here.\n' },
  notice: { title: 'The tour is nearly over', body: 'One more message, then you are free.' },
  answered: (what) => `You answered: ${what}`,
  done: 'That worked.',
  coolDown: 'You said no twice in a row, so your device says no by itself for five minutes.',
  unanswered: {
    rejected: 'You said no, and nothing happened.',
    cancelled: 'I took that back.',
    expired: 'Nobody answered in time. I go on.',
    unsupported: 'Your device does not offer this.',
    failed: 'That did not work.',
  },
  end: 'That was **the whole tour**. Thank you for coming along.',
};

const zh: TourWords = {
  begin:
    '我带你看一圈：五个工具、一个小程序界面、一个应用，还有七件只有你能允许的事。想拒绝就拒绝，我会继续往下走。连着拒绝两次之后，其余的设备会在五分钟内替你拒绝。',
  choice: { says: '**选择。** 我给选项，你来挑。', question: '从哪里开始？', options: ['窗边', '门口', '花园里'] },
  confirm: { says: '**确认。** 是或否。', question: '这里够暖和吗？' },
  input: { says: '**输入。** 你写一段文字。', question: '这趟导览叫什么名字好？', placeholder: '名字' },
  calculator: { says: '**计算器。** 你的设备自己就能算：6 × 7。' },
  canvas: {
    says: '**画板。** 我们可以一起画。打开它跟着画吧，导览结束前它一直在。',
    drew: '我画了一座房子和一个太阳。',
    closed: (lines) => `我取走画的时候，上面有 ${lines} 笔。画板已经关上了。`,
  },
  surface: {
    says: '**小程序界面。** 这是我带来的小程序，与其他一切隔开。运行之前，应用会先问你。',
    name: '导览铃',
    text: '这个页面来自智能体。',
    button: '摇铃',
    patched: '这是它的第二个状态，是我在这边改的。',
  },
  app: {
    says: '**你自己的应用。** 我只说名字，代码由你的应用提供。',
    name: '表单',
    title: '这趟导览怎么样？',
    fields: [
      { name: 'best', label: '最喜欢哪一段？', required: true },
      { name: 'again', label: '再来一次？', type: 'switch' },
    ],
  },
  capabilities: {
    'app.open_url': { says: '**打开链接**，如果你允许。', reason: '给你看一个示例网页' },
    'clipboard.write': { says: '**写入剪贴板。**', reason: '让你可以粘贴一句问候' },
    'artifact.save': { says: '在你的设备上**保存文件**。', reason: '导览的纪念品' },
    'device.pick_file': { says: '**要一个文件。** 由你挑选。', reason: '演示你的文件怎样传给我' },
    'device.location': { says: '**询问你在哪里。**', reason: '演示我会知道些什么' },
    'device.take_photo': { says: '**要一张照片。** 由你按快门。', reason: '演示照片怎样传给我' },
    'app.notify': { says: '**显示通知。** 这个不需要允许。', reason: '演示通知的样子' },
  },
  clipboard: '来自导览的问候',
  artifact: { name: '导览.txt', content: '到此一游。\n' },
  notice: { title: '导览快结束了', body: '还有一条消息就好。' },
  answered: (what) => `你的回答：${what}`,
  done: '成功了。',
  coolDown: '你连着拒绝了两次，所以五分钟内设备会自己拒绝。',
  unanswered: {
    rejected: '你拒绝了，什么都没有发生。',
    cancelled: '我把它收回了。',
    expired: '没有人及时回答，我继续。',
    unsupported: '你的设备不提供这个。',
    failed: '没有成功。',
  },
  end: '**导览到此结束**，谢谢你一路跟着。',
};

/** The words of each language. */
export const TOUR_WORDS = { en, zh } as const;
