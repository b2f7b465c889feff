/** Numbers, sizes and times in the user's language, by Intl. */

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(language: string, style: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${language} ${style}`;
  let known = formatters.get(key);
  if (!known) formatters.set(key, (known = new Intl.DateTimeFormat(language, options)));
  return known;
}

/** Hour and minute: `09:41`. */
export function clockTime(iso: string, language: string): string {
  return formatter(language, 'clock', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(new Date(iso));
}

/** The day as a separator names it: `Sun 29 Nov`, with the year when it is another one. */
export function dayName(iso: string, language: string, now = new Date()): string {
  const day = new Date(iso);
  const sameYear = day.getFullYear() === now.getFullYear();
  const options: Intl.DateTimeFormatOptions = { weekday: 'short', day: 'numeric', month: language.startsWith('zh') ? 'long' : 'short' };
  if (!sameYear) options.year = 'numeric';
  const parts = formatter(language, sameYear ? 'day' : 'day-year', options);
  // Intl sets the weekday close to the date in Chinese, and a comma between them in English.
  return parts
    .format(day)
    .replaceAll(',', '')
    .replace(/日(?=周)/, '日 ');
}

/** The day in full: `Sunday, November 29, 2026`. */
export function longDay(iso: string, language: string): string {
  return formatter(language, 'long-day', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }).format(new Date(iso));
}

/** When something was, as short as it can be said: the time today, else the day and the time. */
export function moment(iso: string, language: string, now = new Date()): string {
  return isSameDay(iso, now.toISOString()) ? clockTime(iso, language) : `${dayName(iso, language, now)} ${clockTime(iso, language)}`;
}

/** For lists: the time today, else the day. */
export function shortMoment(iso: string, language: string, now = new Date()): string {
  if (isSameDay(iso, now.toISOString())) return clockTime(iso, language);
  return formatter(language, 'short-day', { day: 'numeric', month: language.startsWith('zh') ? 'long' : 'short' }).format(new Date(iso));
}

/** Whether two times are on one day, where the user is. */
export function isSameDay(a: string, b: string): boolean {
  return new Date(a).toDateString() === new Date(b).toDateString();
}

/** A size in bytes as people say it: `1.2 MB`. Units of 1024, as file managers on phones count. */
export function fileSize(bytes: number, language: string): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(bytes, 1)) / 10)));
  const value = bytes / 1024 ** step;
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: units[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: value < 10 && step > 0 ? 1 : 0,
  }).format(value);
}

/** A whole number with its separators. */
export function wholeNumber(value: number, language: string): string {
  return new Intl.NumberFormat(language).format(value);
}
