/** The icons: drawn here, on one 24-unit grid, one weight. They never speak alone; a label or a word stands beside them. */

const PATHS = {
  back: 'M15 5l-7 7 7 7',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  plus: 'M12 5v14M5 12h14',
  up: 'M12 19V5.5M6 11l6-6 6 6',
  down: 'M12 5v13.5M6 13l6 6 6-6',
  open: 'M6 15l6-6 6 6',
  stop: 'M7 7h10v10H7z',
  close: 'M6 6l12 12M18 6L6 18',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  checks: 'M2 12.5l4.3 4.3L14.5 8M11.5 15.6l1.2 1.2L21.5 8',
  ring: 'M12 6a6 6 0 1 0 0 12 6 6 0 1 0 0-12z',
  warning: 'M12 8v5M12 16.5v.01M12 3.5l9 16H3z',
  clock: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 1 0 0-17zM12 7.5V12l3 2',
  file: 'M13.5 3.5H6.5v17h11V7.5zM13.5 3.5v4h4',
  image: 'M4 5h16v14H4zM4 16l4.5-4.5 4 4L15 13l5 4M9 9.25v.01',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  question: 'M9 9.5a3 3 0 1 1 4.2 2.75c-.8.36-1.2.95-1.2 1.75v.25M12 17.5v.01M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 1 0 0-17z',
  calculator: 'M6 3.5h12v17H6zM9 7h6M9.25 12v.01M12 12v.01M14.75 12v.01M9.25 16v.01M12 16v.01M14.75 16v.01',
  window: 'M4 5h16v14H4zM4 9h16',
  expand: 'M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7',
  shrink: 'M20 4l-6.5 6.5M13.5 5v5.5H19M4 20l6.5-6.5M10.5 19v-5.5H5',
  fold: 'M6 9l6 6 6-6',
  scan: 'M4 8.5V4h4.5M15.5 4H20v4.5M20 15.5V20h-4.5M8.5 20H4v-4.5M8.5 8.5h3v3h-3zM15.5 12.5v3h-3',
  camera: 'M4 7.5h3.5L9 5.5h6l1.5 2H20v11H4zM12 9.5a3.25 3.25 0 1 0 0 6.5 3.25 3.25 0 1 0 0-6.5z',
  place: 'M12 21s6.5-5.75 6.5-11a6.5 6.5 0 1 0-13 0c0 5.25 6.5 11 6.5 11zM12 7.75a2.25 2.25 0 1 0 0 4.5 2.25 2.25 0 1 0 0-4.5z',
  turn: 'M4.5 11a7.5 7.5 0 0 1 13-4.5L20 9M20 4.5V9h-4.5M19.5 13a7.5 7.5 0 0 1-13 4.5L4 15M4 19.5V15h4.5',
  search: 'M11 4.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 1 0 0-13zM16 16l4.5 4.5',
  pencil: 'M4 20l1-4.5L15.5 5l3.5 3.5L8.5 19z M13 7.5l3.5 3.5',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  reply: 'M9 7l-5 5 5 5M4 12h9a7 7 0 0 1 7 7',
  again: 'M19.5 12a7.5 7.5 0 1 1-2.4-5.5M18 3v4h-4',
  select: 'M9 4h6M12 4v16M9 20h6',
  brush: 'M4 20c3.5 0 5.5-1 5.5-3.5a2.5 2.5 0 0 0-5 0C4.5 18 4.5 19 4 20zM9.5 14.5L18.5 4l1.5 1.5L11.5 16',
  undo: 'M8.5 5L4 9.5 8.5 14M4 9.5h10a5.5 5.5 0 0 1 0 11h-4',
  lock: 'M6.5 11h11v9h-11zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 1 0 0-5z',
  hidden:
    'M4 4l16 16M9.9 5.8A9.6 9.6 0 0 1 12 5.5c6 0 9.5 6.5 9.5 6.5a16 16 0 0 1-2.6 3.3M6.3 7.4A16 16 0 0 0 2.5 12S6 18.5 12 18.5a9 9 0 0 0 4-.95M10 10.2a2.5 2.5 0 0 0 3.6 3.5',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, small = false }: { name: IconName; small?: boolean }) {
  return (
    <svg className={small ? 'icon small' : 'icon'} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} strokeWidth={name === 'more' ? 2.75 : undefined} />
    </svg>
  );
}
