/**
 * Copies a text. False where the browser refuses. A page that is not served securely has no clipboard, and copies as pages did before there
 * was one: from a field that is selected.
 */
export async function copyText(text: string): Promise<boolean> {
  if (!('clipboard' in navigator)) return copyFromField(text);
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}

/** Needs a tap. Puts the focus back where it was. */
function copyFromField(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  // On iOS a field that can be written in would bring up the keyboard.
  field.readOnly = true;
  field.className = 'hidden-words';
  // Inside of what is open: a dialog would take the focus back from anywhere else.
  (focused?.closest('[role="dialog"]') ?? document.body).append(field);
  // What is copied by itself is what is laid out: without spaces that no line shows.
  field.addEventListener('copy', (event) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
  });
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return done;
}
