/** Headers of every answer: CORS for any origin (§3), and what keeps a browser from doing more with it than was meant. */

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Retry-After, Content-Range, Accept-Ranges, Content-Length, Content-Disposition, ETag',
};

const PREFLIGHT = {
  ...CORS,
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, Range, If-Range, If-None-Match, Last-Event-ID',
  'Access-Control-Max-Age': '86400',
};

/** The page runs its own scripts and styles alone; it talks to any relay, since one app is paired with several. */
const pageCsp = (frames: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    // An image from outside is loaded after a tap on it, and never by itself: that is the page's to keep.
    "img-src 'self' blob: data: https:",
    "media-src 'self' blob:",
    "connect-src 'self' https: wss:",
    "manifest-src 'self'",
    "worker-src 'self'",
    `frame-src ${frames}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

const PAGE = {
  'Permissions-Policy': 'camera=(self), geolocation=(self), microphone=(), payment=(), usb=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

const DEFAULTS = {
  ...CORS,
  'Cache-Control': 'no-store',
  // Uploaded bytes come with the type that the uploader gave them: shown by themselves they may do nothing at all.
  'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

/** The answer to a CORS preflight; it asks nobody. */
export function preflight(): Response {
  return new Response(null, { status: 204, headers: PREFLIGHT });
}

/** An answer with the headers that all of them carry, but for those it has already. A switch of protocols stays as it is. */
export function complete(response: Response): Response {
  if (response.status === 101) return response;
  const answer = new Response(response.body, response);
  for (const [name, value] of Object.entries(DEFAULTS)) if (!answer.headers.has(name)) answer.headers.set(name, value);
  return answer;
}

/** A file of the web app with the headers that a page needs. @param surfaces the addresses of the only page that it may frame */
export function asPage(response: Response, path: string, surfaces: readonly string[]): Response {
  const answer = new Response(response.body, response);
  // A hashed name never changes its content; everything else is asked about each time.
  const lasting = (response.ok || response.status === 304) && isHashed(path);
  answer.headers.set('Cache-Control', lasting ? 'public, max-age=31536000, immutable' : 'no-cache');
  answer.headers.set('Content-Security-Policy', pageCsp(surfaces.join(' ')));
  for (const [name, value] of Object.entries(PAGE)) answer.headers.set(name, value);
  return answer;
}

/** Nothing that a browser can be asked for, in the surface page or in what it holds. */
const NO_FEATURES = [
  ...['accelerometer', 'autoplay', 'browsing-topics', 'camera', 'clipboard-read', 'clipboard-write', 'compute-pressure'],
  ...['display-capture', 'encrypted-media', 'fullscreen', 'gamepad', 'geolocation', 'gyroscope', 'hid', 'identity-credentials-get'],
  ...['idle-detection', 'keyboard-map', 'local-fonts', 'local-network-access', 'magnetometer', 'microphone', 'midi', 'otp-credentials'],
  ...['payment', 'picture-in-picture', 'publickey-credentials-create', 'publickey-credentials-get', 'screen-wake-lock', 'serial'],
  ...['storage-access', 'usb', 'window-management', 'xr-spatial-tracking'],
];

/** Everything off: what the surface page holds inherits it. */
const SURFACE_CSP = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data: blob:',
  'font-src data:',
  'media-src data: blob:',
  "connect-src 'none'",
  // A surface that navigates itself has to pass this, which nothing does.
  "frame-src 'none'",
  "worker-src 'none'",
  "object-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
  "webrtc 'block'",
  // An origin that nobody has, wherever the page is served from.
  'sandbox allow-scripts',
].join('; ');

/** Headers of the surface page (docs/security.md). @param host the origin of the only app that may show it */
export function surfaceHeaders(host: string): Record<string, string> {
  return {
    'Content-Security-Policy': `${SURFACE_CSP}; frame-ancestors ${host}`,
    // What keeps WebRTC from calling out where browsers know no `webrtc 'block'`.
    'Connection-Allowlist': '()',
    'Permissions-Policy': NO_FEATURES.map((feature) => `${feature}=()`).join(', '),
    'Cache-Control': 'no-cache',
  };
}

/** Whether the build put a hash into a file's name. */
export function isHashed(path: string): boolean {
  return path.startsWith('/assets/');
}
