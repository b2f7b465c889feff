/*
 * A form that the agent describes by its state and the user fills in.
 * State: { title?, lead?, submit_label?, said?, fields: [{ name, label, type?, required?, options?, value?, placeholder? }] }; types are
 * text, select, textarea, number, date and switch. Event: submit { values }. The agent answers by a patch, for example with `said`;
 * and keep { values }, by which the host remembers what was typed and gives it back as state.kept.
 * Runs in a surface's sandbox, in which forms cannot be sent: a button is all that it needs.
 */
const known = typeof KINDS === 'undefined' ? ['text', 'select', 'textarea', 'number', 'date', 'switch'] : KINDS;
const words = { zh: { submit: '提交', required: '还有必填项没有填。', choose: '请选择', sent: '已提交' } }[
  LineUpSurface.context.locale.slice(0, 2)
] ?? {
  submit: 'Submit',
  required: 'Something that is needed is still empty.',
  choose: 'Choose',
  sent: 'Sent',
};

const element = (id) => document.getElementById(id);
const text = (value, most = 400) => (typeof value === 'string' ? value.slice(0, most) : '');
/** Field name → { input, required, shape }. */
let fields = new Map();
let kept = null;
let keeping = null;
/** After the last key, in ms. */
const KEEP_AFTER_MS = 400;

function control(field) {
  const type = known.includes(field.type) ? field.type : 'text';
  const input = document.createElement(type === 'select' || type === 'textarea' ? type : 'input');
  if (type === 'switch') input.type = 'checkbox';
  else if (input.localName === 'input') input.type = type;
  if (type === 'number') input.inputMode = 'decimal';
  if (type === 'select') {
    input.add(new Option(words.choose, ''));
    for (const option of (Array.isArray(field.options) ? field.options : []).slice(0, 200)) input.add(new Option(text(option), text(option)));
  }
  if ('placeholder' in input) input.placeholder = text(field.placeholder);
  if (type === 'switch') input.checked = field.value === true;
  else if (typeof field.value === 'string' || typeof field.value === 'number') input.value = String(field.value);
  if (input.localName === 'input') input.addEventListener('keydown', (event) => event.key === 'Enter' && !event.isComposing && submit());
  return input;
}

function row(field, i) {
  const input = control(field);
  const label = document.createElement('label');
  const mark = field.required === true ? ' *' : '';
  input.id = `field-${i}`;
  input.required = field.required === true;
  fields.set(text(field.name, 128), { input, required: input.required, shape: JSON.stringify(field) });
  if (input.type === 'checkbox') {
    const name = document.createElement('span');
    name.textContent = text(field.label) + mark;
    label.className = 'switch';
    label.append(input, name);
    return label;
  }
  const box = document.createElement('div');
  label.htmlFor = input.id;
  label.textContent = text(field.label) + mark;
  box.className = 'field';
  box.append(label, input);
  return box;
}

LineUpSurface.onState((state) => {
  kept ??= state.kept?.values ?? {};
  element('title').textContent = text(state.title);
  element('lead').textContent = text(state.lead, 2000);
  element('said').textContent = text(state.said, 2000);
  element('submit').textContent = text(state.submit_label, 80) || words.submit;
  element('submit').disabled = false;
  const described = (Array.isArray(state.fields) ? state.fields : []).slice(0, 100).filter((field) => text(field?.name) !== '');
  const same = described.length === fields.size && described.every((field) => fields.get(text(field.name, 128))?.shape === JSON.stringify(field));
  // A patch that asks the same keeps what was typed.
  if (!same) {
    fields = new Map();
    element('fields').replaceChildren(...described.map(row));
    for (const [name, { input }] of fields) if (Object.hasOwn(kept, name)) restore(input, kept[name]);
  }
});

function restore(input, value) {
  if (input.type === 'checkbox') input.checked = value === true;
  else if (typeof value === 'string' || typeof value === 'number') input.value = String(value);
}

function values() {
  return Object.fromEntries([...fields].map(([name, { input }]) => [name, valueOf(input)]));
}

element('fields').addEventListener('input', () => {
  clearTimeout(keeping);
  keeping = setTimeout(() => LineUpSurface.event('keep', { values: values() }), KEEP_AFTER_MS);
});

function valueOf(input) {
  if (input.type === 'checkbox') return input.checked;
  if (input.type === 'number') return input.value === '' ? null : input.valueAsNumber;
  return input.value.slice(0, 4000);
}

function submit() {
  const empty = [...fields.values()].filter(
    ({ input, required }) => required && (input.type === 'checkbox' ? !input.checked : input.value.trim() === ''),
  );
  for (const { input } of fields.values()) input.setAttribute('aria-invalid', String(empty.some((field) => field.input === input)));
  element('problem').textContent = empty.length > 0 ? words.required : '';
  if (empty.length > 0) return empty[0].input.focus();
  element('submit').disabled = true;
  element('said').textContent = words.sent;
  LineUpSurface.event('submit', { values: values() });
}
element('submit').addEventListener('click', submit);

new ResizeObserver(() => LineUpSurface.resize(Math.ceil(document.documentElement.getBoundingClientRect().height))).observe(document.body);
