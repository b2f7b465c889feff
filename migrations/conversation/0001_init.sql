-- One conversation. Integers named *_at are ms since 1970 on the relay's clock.

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT
) WITHOUT ROWID;

CREATE TABLE participants (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  platform TEXT,
  paired_at TEXT,
  cursor INTEGER NOT NULL DEFAULT 0,
  seen_at INTEGER
) WITHOUT ROWID;

-- One row a message and no index beside it: what deduplicates is log_index. The frame comes last, so that a scan of the
-- small columns leaves its overflow pages alone. A compacted message keeps its row, with a digest in place of the frame.
CREATE TABLE log (
  seq INTEGER PRIMARY KEY,
  sender TEXT NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  audience TEXT,
  origin TEXT,
  ref TEXT,
  at INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  digest TEXT,
  frame TEXT
);

-- Hashes of (sender, id) of runs of log rows, so that a wake reads a few rows instead of the whole log.
CREATE TABLE log_index (
  last_seq INTEGER PRIMARY KEY,
  last_at INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  entries BLOB NOT NULL
);

CREATE TABLE calls (
  call_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  seq INTEGER NOT NULL,
  audience TEXT,
  digest TEXT NOT NULL,
  name TEXT,
  action TEXT,
  capability TEXT,
  reason TEXT,
  asked_by TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  status TEXT NOT NULL,
  settled_at INTEGER,
  settled_by TEXT,
  result_seq INTEGER
) WITHOUT ROWID;

CREATE TABLE edits (
  message_id TEXT PRIMARY KEY,
  seq INTEGER NOT NULL
) WITHOUT ROWID;

-- Open surfaces only.
CREATE TABLE surfaces (
  instance_id TEXT PRIMARY KEY,
  audience TEXT,
  open_seq INTEGER NOT NULL,
  patch_seq INTEGER
) WITHOUT ROWID;

-- The latest of each kept value: 'status', 'tools:<device>', 'apps:<device>', 'inventory:<device>'.
CREATE TABLE kept (
  slot TEXT PRIMARY KEY,
  frame TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE revisions (
  device TEXT NOT NULL,
  revision TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (device, revision)
) WITHOUT ROWID;

-- Everything a device ever declared; what its newest declaration dropped is not current.
CREATE TABLE declared (
  device TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  current INTEGER NOT NULL,
  PRIMARY KEY (device, kind, name)
) WITHOUT ROWID;

CREATE TABLE files (
  file_id TEXT PRIMARY KEY,
  content_type TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  -- The newest message that refers to it, or the head when it was uploaded: the file goes when the log has passed this.
  last_seq INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE file_chunks (
  file_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  UNIQUE (file_id, position)
);

-- What the alarm is for: ('call', call_id) until it is settled, ('retention', '').
CREATE TABLE due (
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (kind, key)
) WITHOUT ROWID;
