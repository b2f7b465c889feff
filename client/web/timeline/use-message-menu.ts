/** How the menu of a message is asked for: a long press, the other mouse button, the menu key, or the button beside it. */
import { useMemo, type MouseEvent, type PointerEvent } from 'react';
import { useChatDesk } from '../chat/chat-desk.ts';
import type { Entry } from '../model/entry.ts';

/** A finger that rests this long, in ms, and moves no further than this many pixels, asks for the menu. */
const REST_MS = 480;
const REST_WITHIN = 10;
/** How long the phone ticks when the menu opens, in ms. */
const TICK_MS = 10;

const MESSAGES: readonly string[] = ['text', 'image', 'file', 'error'];

/** Whether an entry is something that was said, and can be copied or answered. */
export function isMessage(entry: Entry): boolean {
  return MESSAGES.includes(entry.type) && entry.payload.sealed === undefined && entry.stream === null;
}

export function useMessageMenu(entry: Entry) {
  const desk = useChatDesk();
  return useMemo(() => {
    let resting: ReturnType<typeof setTimeout> | undefined;
    let from = { x: 0, y: 0 };
    const open = (x: number, y: number) => desk.set({ menu: { entry, x, y } });
    const stop = () => clearTimeout(resting);
    return {
      openAt(event: MouseEvent<HTMLElement>) {
        const { left, bottom } = event.currentTarget.getBoundingClientRect();
        open(left, bottom);
      },
      handlers: {
        // The focus stays where it was, and is there again when the menu goes.
        onMouseDown(event: MouseEvent<HTMLElement>) {
          if (event.button === 2 && isOurs(event.target)) event.preventDefault();
        },
        onContextMenu(event: MouseEvent<HTMLElement>) {
          stop();
          if (!isOurs(event.target)) return;
          event.preventDefault();
          open(event.clientX, event.clientY);
        },
        // Safari on the iPhone has no event of its own for a long press.
        onPointerDown(event: PointerEvent<HTMLElement>) {
          stop();
          if (event.pointerType !== 'touch' || !event.isPrimary || !isOurs(event.target)) return;
          from = { x: event.clientX, y: event.clientY };
          resting = setTimeout(() => {
            // Not on the iPhone, which has no such thing.
            if ('vibrate' in navigator) navigator.vibrate(TICK_MS);
            open(from.x, from.y);
          }, REST_MS);
        },
        onPointerMove(event: PointerEvent<HTMLElement>) {
          if (Math.hypot(event.clientX - from.x, event.clientY - from.y) > REST_WITHIN) stop();
        },
        onPointerUp: stop,
        onPointerCancel: stop,
      },
    };
  }, [desk, entry]);
}

/** Links, controls and a selection keep what the browser offers for them. */
function isOurs(target: EventTarget): boolean {
  if (!(target instanceof Element) || target.closest('a, input, textarea')) return false;
  return window.getSelection()?.isCollapsed !== false;
}
