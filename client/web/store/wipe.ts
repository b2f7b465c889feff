/** Forgets what this browser keeps outside of the local store: databases, and the page's own files. */

/** Every database and cache of ours begins like this. */
const PREFIX = 'lineup-';
/** The databases there are, for browsers that do not list them: outbox, capability journal, surface grants, drawing boards. */
const DATABASES = ['lineup-outbox', 'lineup-capabilities', 'lineup-surfaces', 'lineup-canvas'];

/**
 * Deletes all of it. What another tab still has open goes as soon as that tab lets go of it.
 * @throws DOMException when the browser does not let go of a database
 */
export async function wipeBrowser(): Promise<void> {
  await Promise.all([wipeDatabases(), wipeCaches()]);
}

async function wipeDatabases(): Promise<void> {
  if (!hasDatabases()) return;
  // First what is surely ours: a browser may fail to list, or, older than its type, have no list.
  await Promise.all(DATABASES.map(deleteDatabase));
  const listed = 'databases' in indexedDB ? await indexedDB.databases() : [];
  const others = listed.flatMap(({ name }) => (name?.startsWith(PREFIX) && !DATABASES.includes(name) ? [name] : []));
  await Promise.all(others.map(deleteDatabase));
}

function hasDatabases(): boolean {
  try {
    return typeof indexedDB !== 'undefined';
  } catch {
    // Denied: then there are none of ours.
    return false;
  }
}

function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.addEventListener('success', () => resolve());
    request.addEventListener('blocked', () => resolve());
    request.addEventListener('error', () => reject(request.error ?? new Error(`The database ${name} could not be deleted.`)));
  });
}

/** Pages that are not served securely have no caches. */
async function wipeCaches(): Promise<void> {
  if (!('caches' in globalThis)) return;
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX)).map((name) => caches.delete(name)));
}
