/*
 * A board on which the agent draws by its state and the user with a finger.
 * State: { width, height, background?, paths: [{ path, color?, width? }] }. Events: draw { path, color, width }, resize { width, height },
 * snapshot { svg, paths }; and keep { paths }, by which the host remembers what the user drew and gives it back as state.kept. Runs in a surface's sandbox: LineUpSurface is all that it has.
 */
const NAMESPACE = 'http://www.w3.org/2000/svg';
const COLORS = ['#23201c', '#17666f', '#b3402e', '#b7791f', '#3f7d3a', '#6d4aa2'];
/** An event is smaller than 16 KiB; some of that is the envelope of JSON. */
const MOST_SVG_CHARACTERS = 14000;
/** Points closer than this to the last one add nothing, in units of the board. */
const STEP = 2;

const words = {
  zh: { board: '画板', colors: '颜色', color: '颜色', width: '粗细', snapshot: '发送快照', sent: '快照已发送', large: '画得太多，快照发不出去' },
}[LineUpSurface.context.locale.slice(0, 2)] ?? {
  board: 'Drawing board',
  colors: 'Colour',
  color: 'Colour',
  width: 'Width of the line',
  snapshot: 'Send a snapshot',
  sent: 'The snapshot was sent',
  large: 'There is too much on the board for a snapshot',
};

const element = (id) => document.getElementById(id);
const svg = element('svg');
const width = element('width');
const said = element('said');
const agentLayer = svg.appendChild(document.createElementNS(NAMESPACE, 'g'));
const userLayer = svg.appendChild(document.createElementNS(NAMESPACE, 'g'));
let size = { width: 320, height: 240 };
let color = COLORS[0];
let stroke = null;
let restored = false;

svg.setAttribute('aria-label', words.board);
width.setAttribute('aria-label', words.width);
element('colors').setAttribute('aria-label', words.colors);
element('snapshot').textContent = words.snapshot;

COLORS.forEach((value, i) => {
  const label = document.createElement('label');
  const input = document.createElement('input');
  const dot = document.createElement('span');
  input.type = 'radio';
  input.name = 'color';
  input.checked = i === 0;
  input.setAttribute('aria-label', `${words.color} ${i + 1}`);
  input.addEventListener('change', () => (color = value));
  // Ink on dark paper has to be light; what is sent stays what was chosen.
  dot.style.background = shown(value);
  label.append(input, dot);
  element('colors').append(label);
});

/** The first colour is ink: dark on light paper, light on dark. */
function shown(value) {
  return value === COLORS[0] ? 'var(--ink)' : value;
}

function number(value, least, most, otherwise) {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : otherwise;
}

/** Path data and nothing else: a wrong one draws nothing. */
function pathOf({ path, color: ink, width: thick }) {
  const line = document.createElementNS(NAMESPACE, 'path');
  line.setAttribute('d', typeof path === 'string' && /^[\sMLHVCSQTAZmlhvcsqtaz0-9.,eE+-]*$/.test(path) ? path : '');
  line.setAttribute('fill', 'none');
  line.setAttribute('stroke-linecap', 'round');
  line.setAttribute('stroke-linejoin', 'round');
  line.setAttribute('stroke-width', String(number(thick, 0.5, 64, 3)));
  line.style.stroke = typeof ink === 'string' && CSS.supports('color', ink) ? shown(ink) : 'var(--ink)';
  line.dataset.color = typeof ink === 'string' && CSS.supports('color', ink) ? ink : COLORS[0];
  return line;
}

LineUpSurface.onState((state) => {
  const next = { width: number(state.width, 1, 4096, 320), height: number(state.height, 1, 4096, 240) };
  const changed = next.width !== size.width || next.height !== size.height;
  size = next;
  svg.setAttribute('viewBox', `0 0 ${size.width} ${size.height}`);
  agentLayer.replaceChildren(...(Array.isArray(state.paths) ? state.paths : []).slice(0, 2000).map((each) => pathOf(each ?? {})));
  if (!restored && Array.isArray(state.kept?.paths)) userLayer.replaceChildren(...state.kept.paths.map((each) => pathOf(each ?? {})));
  restored = true;
  // What the agent took over is not drawn twice.
  const known = new Set([...agentLayer.children].map((line) => line.getAttribute('d')));
  for (const line of [...userLayer.children]) if (known.has(line.getAttribute('d'))) line.remove();
  if (changed) LineUpSurface.event('resize', size);
  fit();
});

function fit() {
  LineUpSurface.resize(Math.ceil(document.documentElement.getBoundingClientRect().height));
}
new ResizeObserver(fit).observe(document.body);

function place({ clientX, clientY }) {
  const at = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
  return { x: Math.round(at.x * 10) / 10, y: Math.round(at.y * 10) / 10 };
}

svg.addEventListener('pointerdown', (event) => {
  if (!event.isPrimary || event.button !== 0) return;
  const { x, y } = place(event);
  // A tap is a dot: a line of no length with round ends.
  stroke = { last: { x, y }, path: `M${x} ${y}l0 0`, line: pathOf({ path: `M${x} ${y}l0 0`, color, width: Number(width.value) }) };
  userLayer.append(stroke.line);
  svg.setPointerCapture(event.pointerId);
});

svg.addEventListener('pointermove', (event) => {
  if (!stroke || !event.isPrimary) return;
  const { x, y } = place(event);
  if (Math.hypot(x - stroke.last.x, y - stroke.last.y) < STEP || stroke.path.length > MOST_SVG_CHARACTERS) return;
  stroke.last = { x, y };
  stroke.path += `L${x} ${y}`;
  stroke.line.setAttribute('d', stroke.path);
});

function lift() {
  if (!stroke) return;
  LineUpSurface.event('draw', { path: stroke.path, color, width: Number(width.value) });
  stroke = null;
  keepDrawing();
}

/** The newest strokes, as many as fit. */
function keepDrawing() {
  const paths = [];
  let room = MOST_SVG_CHARACTERS;
  for (const line of [...userLayer.children].toReversed()) {
    const path = line.getAttribute('d');
    room -= path.length + 80;
    if (room < 0) break;
    paths.unshift({ path, color: line.dataset.color, width: Number(line.getAttribute('stroke-width')) });
  }
  LineUpSurface.event('keep', { paths });
}
svg.addEventListener('pointerup', lift);
svg.addEventListener('pointercancel', lift);

element('snapshot').addEventListener('click', () => {
  const lines = [...agentLayer.children, ...userLayer.children];
  const drawn = lines.map((line) => {
    const copy = document.createElementNS(NAMESPACE, 'path');
    for (const name of ['d', 'fill', 'stroke-linecap', 'stroke-linejoin', 'stroke-width']) copy.setAttribute(name, line.getAttribute(name));
    copy.setAttribute('stroke', line.dataset.color);
    return copy;
  });
  const picture = document.createElementNS(NAMESPACE, 'svg');
  picture.setAttribute('viewBox', `0 0 ${size.width} ${size.height}`);
  picture.append(...drawn);
  const text = new XMLSerializer().serializeToString(picture);
  const fits = text.length <= MOST_SVG_CHARACTERS;
  if (fits) LineUpSurface.event('snapshot', { svg: text, paths: lines.length });
  said.textContent = fits ? words.sent : words.large;
});
