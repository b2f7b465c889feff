/**
 * Only the rows around the view exist. At the end the timeline follows what comes; anywhere else nothing that grows, loads or is added
 * above or below moves what is being read.
 */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { defaultRangeExtractor, useVirtualizer, type Range, type Virtualizer } from '@tanstack/react-virtual';
import { isOpen, type Entry } from '../model/entry.ts';
import { useConversation } from '../parts/contexts.ts';
import { estimatedHeight } from './estimate.ts';
import { memoryOf } from './memory.ts';

/** Within this many pixels of the end one is at the end. */
const NEAR = 48;
/** Older messages are asked for when the reader is this many pixels from the top. */
const NEAR_TOP = 1_600;
/** Rows that are laid out above and below the view. */
const BEYOND = 6;

type Rows = Virtualizer<HTMLDivElement, HTMLDivElement>;

/** @param onNearTop asked to load what is older */
export function useWindow(entries: readonly Entry[], onNearTop: () => void) {
  const store = useConversation();
  const [memory] = useState(() => memoryOf(store));
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const atEnd = useRef(memory.place === null);
  const [away, setAway] = useState(!atEnd.current);
  const [margin, setMargin] = useState(0);
  const [width, setWidth] = useState(360);
  const shown = useRef(entries);
  shown.current = entries;
  const nearTop = useRef(onNearTop);
  nearTop.current = onNearTop;

  const rows = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: entries.length,
    getScrollElement: () => scroller.current,
    getItemKey: useCallback((index: number) => entries[index]?.key ?? index, [entries]),
    estimateSize: (index) => {
      const entry = entries[index];
      return entry ? estimatedHeight(entry, width) : 0;
    },
    overscan: BEYOND,
    // One render for all that a scroll sets off, and no layout in between: the rows beyond the view are there for that.
    useFlushSync: false,
    // What is prepended leaves the row that is being read where it is.
    anchorTo: 'end',
    scrollMargin: margin,
    initialMeasurementsCache: memory.heights,
    rangeExtractor: (range) => withKept(range, entries, list.current),
  });
  rows.shouldAdjustScrollPositionOnItemSizeChange = isAbove;

  const settle = useCallback(() => {
    const view = scroller.current;
    if (view && atEnd.current) view.scrollTop = view.scrollHeight;
  }, []);

  // The list begins below what says that there is more.
  const total = rows.getTotalSize();
  useLayoutEffect(() => setMargin(list.current?.offsetTop ?? 0), [entries, total]);
  useLayoutEffect(settle, [entries, total, margin, settle]);
  useLayoutEffect(() => {
    const view = scroller.current;
    if (view && view.scrollHeight < view.clientHeight + NEAR_TOP) nearTop.current();
  }, [entries, total]);
  useEffect(() => returnTo(rows, memory.place, shown.current), [rows, memory]);

  useEffect(() => {
    const view = scroller.current;
    if (!view) return;
    const onScroll = () => {
      atEnd.current = view.scrollHeight - view.scrollTop - view.clientHeight < NEAR;
      setAway(!atEnd.current);
      if (view.scrollTop < NEAR_TOP) nearTop.current();
    };
    const observer = new ResizeObserver(() => {
      setWidth(view.clientWidth);
      settle();
    });
    observer.observe(view);
    // The part after the rows grows and shrinks too.
    if (list.current?.parentElement) observer.observe(list.current.parentElement);
    view.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      view.removeEventListener('scroll', onScroll);
      memory.place = atEnd.current ? null : placeOf(rows);
      memory.heights = rows.takeSnapshot();
    };
  }, [rows, memory, settle]);

  // Heights that were measured at another width are worth no more than estimates.
  const measuredAt = useRef(width);
  useEffect(() => {
    if (Math.abs(measuredAt.current - width) > 1 && measuredAt.current !== 360) {
      rows.measure();
      // What is on the page has its new height by now and does not tell it a second time; it is compared with fresh estimates.
      rows.getTotalSize();
      for (const row of list.current?.querySelectorAll<HTMLElement>('.row') ?? []) rows.resizeItem(Number(row.dataset.index), row.offsetHeight);
    }
    measuredAt.current = width;
  }, [rows, width]);

  const toEnd = useCallback(() => {
    atEnd.current = true;
    setAway(false);
    settle();
  }, [settle]);

  /** Brings a row into the middle of the view. */
  const reveal = useCallback(
    (key: string) => {
      const index = shown.current.findIndex((entry) => entry.key === key);
      if (index < 0) return;
      atEnd.current = false;
      rows.scrollToIndex(index, { align: 'center' });
    },
    [rows],
  );

  return { scroller, list, rows, total, margin, away, toEnd, reveal };
}

/** What grows above the view pushes the view down; a row that reaches into it grows at its end, below what is being read. */
const isAbove: NonNullable<Rows['shouldAdjustScrollPositionOnItemSizeChange']> = (item, _growth, { scrollOffset, itemSizeCache }) => {
  const top = scrollOffset ?? 0;
  return itemSizeCache.has(item.key) ? item.end <= top : item.start < top;
};

/** Rows that hold something half done stay: an open question, and whatever has the focus. */
function withKept(range: Range, entries: readonly Entry[], list: HTMLElement | null): number[] {
  const visible = defaultRangeExtractor(range);
  const focused = document.activeElement?.closest<HTMLElement>('.row');
  const indexes = new Set(visible);
  if (focused && list?.contains(focused)) {
    const at = Number(focused.dataset.index);
    if (at < entries.length) indexes.add(at);
  }
  entries.forEach((entry, index) => entry.call && isOpen(entry.call) && indexes.add(index));
  return indexes.size === visible.length ? visible : [...indexes].sort((a, b) => a - b);
}

function placeOf(rows: Rows): { key: string; past: number } | null {
  const top = rows.scrollOffset ?? 0;
  const row = rows.getVirtualItemForOffset(top);
  return row ? { key: String(row.key), past: top - row.start } : null;
}

function returnTo(rows: Rows, place: { key: string; past: number } | null, entries: readonly Entry[]): void {
  const index = place === null ? -1 : entries.findIndex(({ key }) => key === place.key);
  const row = rows.measurementsCache[index];
  if (place && row) rows.scrollToOffset(row.start + place.past);
}
