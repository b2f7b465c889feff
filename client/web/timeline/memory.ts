/** What a timeline remembers of its rows while they, or the whole conversation, are off the screen. Gone with the page. */
import { useState } from 'react';
import type { VirtualItem } from '@tanstack/react-virtual';
import { useConversation } from '../parts/contexts.ts';
import type { ConversationStore } from '../store/conversation-store.ts';

/** Where somebody was reading. */
export interface Place {
  /** The row that was at the top of the view. */
  key: string;
  /** How many pixels of it had gone past the top. */
  past: number;
}

interface Memory {
  readonly unfolded: Set<string>;
  place: Place | null;
  heights: VirtualItem[];
}

const memories = new WeakMap<ConversationStore, Memory>();

/** The memory of a conversation's timeline. */
export function memoryOf(store: ConversationStore): Memory {
  const known = memories.get(store);
  if (known) return known;
  const memory: Memory = { unfolded: new Set(), place: null, heights: [] };
  memories.set(store, memory);
  return memory;
}

/** Whether a long text has been opened; it stays so when it is scrolled away and back. */
export function useUnfolded(key: string): [boolean, (open: boolean) => void] {
  const { unfolded } = memoryOf(useConversation());
  const [open, setOpen] = useState(() => unfolded.has(key));
  return [
    open,
    (next) => {
      if (next) unfolded.add(key);
      else unfolded.delete(key);
      setOpen(next);
    },
  ];
}
