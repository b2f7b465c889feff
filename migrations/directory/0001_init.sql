-- Who may talk to whom on this relay. Integers named *_at are ms since 1970 on the relay's clock.
-- What is listed has a rowid: it keeps apart, in their order, things made in the same millisecond.

-- One row: the relay's own id and the key that signs its tokens. The private half leaves this table for nothing but signing.
CREATE TABLE relay (
  relay_id TEXT PRIMARY KEY,
  private_jwk TEXT NOT NULL,
  made_at INTEGER NOT NULL
) WITHOUT ROWID;

-- A token is good for an agent only when it carries the agent's current generation.
CREATE TABLE agents (
  agent_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  agent TEXT,
  version TEXT,
  enrolled_at INTEGER NOT NULL,
  generation INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE devices (
  device_id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  name TEXT NOT NULL,
  platform TEXT NOT NULL,
  paired_at INTEGER NOT NULL
);

CREATE INDEX devices_by_agent ON devices (agent_id, paired_at);

CREATE TABLE conversations (
  conversation_id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  title TEXT,
  created_at INTEGER NOT NULL
);

CREATE INDEX conversations_by_agent ON conversations (agent_id, created_at);

-- The code goes with the redemption, so a code that is found is one that nobody has redeemed.
CREATE TABLE pairings (
  pairing_id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  code TEXT UNIQUE,
  label TEXT,
  expires_at INTEGER NOT NULL,
  device_id TEXT
) WITHOUT ROWID;

CREATE INDEX pairings_by_expiry ON pairings (expires_at);

-- At most the hundred failures of the last hour: while limited none is added.
CREATE TABLE redeem_failures (
  failed_at INTEGER NOT NULL,
  address TEXT NOT NULL
);

-- What conversations have not heard yet, each in the order of tidings_id.
CREATE TABLE tidings (
  tidings_id INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation_id TEXT NOT NULL,
  letter TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL
);

CREATE INDEX tidings_by_conversation ON tidings (conversation_id);
