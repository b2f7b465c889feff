/** The limits of the contract (§8), their names as Worker variables, and how they are read. */

/** Every limit a relay enforces. Sizes are UTF-8 bytes, times are ms, unless the name says otherwise. */
export interface Limits {
  /** Largest frame a client may send. */
  max_frame_bytes: number;
  /** Largest html + css + js of one surface. */
  max_bundle_bytes: number;
  /** `data` of a `ui.event` must be smaller than this. */
  max_event_bytes: number;
  /** Largest uploaded file. */
  max_file_bytes: number;
  /** Logged bytes a socket may be sent beyond its last `system.received`. */
  window_bytes: number;
  /** Messages a second per socket; 0 switches rate and burst limits off. */
  rate_per_s: number;
  burst: number;
  retain_messages: number;
  retain_bytes: number;
  /** May be a fraction. */
  retain_days: number;
  sockets_per_device: number;
  devices_per_agent: number;
  conversations_per_agent: number;
  open_surfaces: number;
  pending_calls: number;
  /** Bytes of all files of one conversation. */
  file_quota_bytes: number;
}

/** The values of a relay that sets no `LINEUP_*` variable (§8). */
export const DEFAULT_LIMITS: Readonly<Limits> = {
  max_frame_bytes: 262_144,
  max_bundle_bytes: 163_840,
  max_event_bytes: 16_384,
  max_file_bytes: 8_388_608,
  window_bytes: 4_194_304,
  rate_per_s: 50,
  burst: 200,
  retain_messages: 10_000,
  retain_bytes: 67_108_864,
  retain_days: 90,
  sockets_per_device: 8,
  devices_per_agent: 32,
  conversations_per_agent: 200,
  open_surfaces: 64,
  pending_calls: 1_000,
  file_quota_bytes: 268_435_456,
};

/** Each limit's variable: `LINEUP_` and the limit's name in capitals (`LINEUP_RATE_PER_S`, `LINEUP_RETAIN_DAYS`, …). */
export function limitVariable(name: keyof Limits): string {
  return `LINEUP_${name.toUpperCase()}`;
}

/**
 * Reads the limits from a Worker's variables.
 *
 * A variable that is unset or empty keeps the default.
 * @throws RangeError naming the variable, when one is not a whole number above 0; only `LINEUP_RATE_PER_S` may be 0, and only
 * `LINEUP_RETAIN_DAYS` a fraction.
 */
export function readLimits(env: object): Limits {
  const limits: Limits = { ...DEFAULT_LIMITS };
  for (const name of Object.keys(limits) as (keyof Limits)[]) {
    const variable = limitVariable(name);
    const raw: unknown = Reflect.get(env, variable);
    if (raw === undefined || raw === null || raw === '') continue;
    const value = Number(raw);
    const isNumber = name === 'retain_days' ? Number.isFinite(value) : Number.isSafeInteger(value);
    if (!isNumber || value < 0 || (value === 0 && name !== 'rate_per_s')) {
      const kind = name === 'retain_days' ? 'number' : 'whole number';
      throw new RangeError(`${variable} must be a ${kind} above 0${name === 'rate_per_s' ? ', or 0 for no limit' : ''}`);
    }
    limits[name] = value;
  }
  return limits;
}

/** Deepest nesting of a frame; the envelope itself is level 1 (§2). */
export const MAX_JSON_DEPTH = 32;
/** Characters (code points) of a text (§5). */
export const MAX_TEXT_CHARACTERS = 65_536;
/** A call expires after this when it names no `expires_at`, in ms (§6). */
export const DEFAULT_CALL_TTL_MS = 24 * 3_600_000;
/** How far ahead `expires_at` may lie, in ms (§6). */
export const MAX_CALL_TTL_MS = 7 * 24 * 3_600_000;
/** How long a socket may take to say hello, in ms (§4). */
export const HELLO_DEADLINE_MS = 10_000;
/** A socket that is silent for longer than this counts as offline, in ms (§4). */
export const SILENT_AFTER_MS = 75_000;
/** Malformed frames in a minute that close a socket with 4400, and rate refusals that close it with 4429 (§8). */
export const MALFORMED_PER_MINUTE = 20;
export const RATE_REFUSALS_PER_MINUTE = 100;
/** Largest page of history, in bytes and messages (§3). */
export const MAX_PAGE_BYTES = 1_048_576;
export const MAX_PAGE_MESSAGES = 100;
export const DEFAULT_PAGE_MESSAGES = 50;
