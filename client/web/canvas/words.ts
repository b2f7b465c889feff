/** The words of the drawing boards. They come with the boards, not with every page. */
import { useLanguage } from '../parts/contexts.ts';

const en = {
  board: 'Drawing board',
  dock: 'Drawing boards',
  size: (width: number, height: number) => `${width} × ${height}`,
  from: (agent: string) => `You draw here with ${agent}`,
  open: 'Open',
  beside: 'It is beside the conversation.',
  close: 'Close the drawing board',
  whole: 'Whole window',
  smaller: 'Out of the whole window',
  colors: 'Colour',
  colorNames: ['Ink', 'Teal', 'Red', 'Ochre', 'Green', 'Purple'],
  lineWidth: 'Width of the line',
  undo: 'Take back the last line',
  clear: 'Clear',
  full: 'The board is full.',
  canvas: (lines: number) => `Drawing with ${lines} ${lines === 1 ? 'line' : 'lines'}`,
  closed: 'The drawing board is closed',
  did: {
    draw: 'drew a line',
    undo: 'took back a line',
    clear: 'took back everything',
    snapshot: 'looked at the drawing',
    close: 'closed the drawing board',
  },
  failed: 'it did not work',
};

export type CanvasWords = typeof en;

const zh: CanvasWords = {
  board: '画板',
  dock: '画板',
  size: (width, height) => `${width} × ${height}`,
  from: (agent) => `你和 ${agent} 一起画`,
  open: '打开',
  beside: '就在对话旁边。',
  close: '关闭画板',
  whole: '占满窗口',
  smaller: '退出占满窗口',
  colors: '颜色',
  colorNames: ['墨色', '青色', '红色', '赭色', '绿色', '紫色'],
  lineWidth: '线条粗细',
  undo: '撤销上一笔',
  clear: '清空',
  full: '画板已满。',
  canvas: (lines) => `共 ${lines} 笔的画`,
  closed: '画板已关闭',
  did: { draw: '画了一笔', undo: '撤销了一笔', clear: '清除了全部', snapshot: '看了看画', close: '关闭了画板' },
  failed: '没有成功',
};

export function useCanvasWords(): CanvasWords {
  return useLanguage().startsWith('zh') ? zh : en;
}
