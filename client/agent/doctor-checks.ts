/** What can stand between this machine and the relay: one check each, with what to do when it fails. */
import { lookup } from 'node:dns/promises';
import { stat } from 'node:fs/promises';
import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { CLOSE } from '../../src/protocol/close-codes.ts';
import { NetworkError, RelayError } from '../core/errors.ts';
import { RelayHttp } from '../core/http.ts';
import { NodeWebSocket } from '../core/websocket-node.ts';
import { socketUrl } from '../core/websocket.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { isStranger, reasonOf } from './failure.ts';
import { clockSkew } from './relay-clock.ts';
import type { Setup } from './setup.ts';

const DEADLINE_MS = 10_000;
const SKEW_TO_MENTION_MS = 60_000;
const OLDEST_NODE = 20;
const DAY_MS = 24 * 3_600_000;
/** A token is renewed in the last third of its 90 days; one that is older than that was not used. */
const TOKEN_TO_MENTION_MS = 14 * DAY_MS;

/** How a check went. */
export interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'failed';
  detail: string;
  /** What to do, where there is something. */
  advice?: string;
  /** The command's exit code when this failed. */
  exitCode?: ExitCode;
}

type Result = Omit<Finding, 'check'>;

/** A check, and whether those after it make no sense when it fails. */
export interface Check {
  name: string;
  isBasic?: true;
  run: () => Promise<Result> | Result;
}

/** The checks of this machine alone, in order. */
export function machineChecks(version: string, env: NodeJS.ProcessEnv): Check[] {
  return [
    { name: 'version', run: () => checkVersion(version) },
    { name: 'proxy', run: () => checkProxy(env) },
  ];
}

/** The checks of the way to a relay, for which nobody has to be known there. */
export function wayChecks(relay: string): Check[] {
  const url = new URL(relay);
  return [
    { name: 'DNS', isBasic: true, run: () => checkName(url.hostname) },
    { name: url.protocol === 'https:' ? 'TLS' : 'TCP', isBasic: true, run: () => checkDoor(url) },
    { name: 'relay', isBasic: true, run: () => checkRelay(relay) },
    { name: 'clock', run: () => checkClock(relay) },
  ];
}

/** The checks of the way to a relay, and of what it says to this agent. */
export function relayChecks(setup: Setup): Check[] {
  return [
    { name: 'files', run: () => checkFolder(setup.state) },
    ...wayChecks(setup.relay),
    { name: 'token', run: () => checkToken(setup) },
    { name: 'WebSocket', run: () => checkWebSocket(setup) },
  ];
}

/** Runs checks one after the other; what makes no sense any more is left out. */
export async function examine(checks: readonly Check[], onFinding: (finding: Finding) => void): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, isBasic, run } of checks) {
    const finding = { check: name, ...(await run()) };
    findings.push(finding);
    onFinding(finding);
    if (isBasic && finding.state === 'failed') break;
  }
  return findings;
}

const ok = (detail: string): Result => ({ state: 'ok', detail });
const warning = (detail: string, advice: string): Result => ({ state: 'warning', detail, advice });
const failed = (exitCode: ExitCode, detail: string, advice: string): Result => ({ state: 'failed', detail, advice, exitCode });
const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function checkVersion(version: string): Result {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= OLDEST_NODE) return ok(`lineup ${version}, Node ${node}`);
  return failed(EXIT.protocol, `Node ${node}`, `install Node ${OLDEST_NODE} or newer`);
}

function checkProxy(env: NodeJS.ProcessEnv): Result {
  const name = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'].find((each) => (env[each] ?? '') !== '');
  if (name === undefined) return ok('none');
  return warning(`${name} is set`, 'lineup connects directly and does not use it: the relay must be reachable without a proxy');
}

async function checkFolder(state: string): Promise<Result> {
  try {
    const { mode } = await stat(state);
    if (process.platform === 'win32' || (mode & 0o077) === 0) return ok(state);
    return warning(`${state} can be opened by others`, `chmod 700 "${state}"`);
  } catch {
    return warning(`${state} is not there yet`, 'it is made by the first command that needs it');
  }
}

async function checkName(hostname: string): Promise<Result> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return ok(`${host} is an address`);
  try {
    const addresses = await lookup(host, { all: true });
    return ok(`${host} is ${addresses.map(({ address }) => address).join(', ')}`);
  } catch (error) {
    return failed(EXIT.unreachable, reason(error), `check the network, the DNS server, and that ${host} is spelled right`);
  }
}

function checkDoor(url: URL): Promise<Result> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isTls = url.protocol === 'https:';
  const port = Number(url.port === '' ? (isTls ? 443 : 80) : url.port);
  return new Promise((resolve) => {
    const socket = isTls ? connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }) }) : connectTcp({ host, port });
    const done = (result: Result) => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(DEADLINE_MS, () =>
      done(failed(EXIT.unreachable, `${host}:${port} does not answer`, 'a firewall may stop outgoing connections to this port')),
    );
    socket.once('error', (error) =>
      done(isTls ? tlsFailure(error) : failed(EXIT.unreachable, reason(error), `is the relay running at ${url.origin}?`)),
    );
    socket.once(isTls ? 'secureConnect' : 'connect', () =>
      done(isTls ? describeTls(socket as TLSSocket) : ok(`${host}:${port} answers, without encryption`)),
    );
  });
}

function describeTls(socket: TLSSocket): Result {
  const { valid_to, issuer } = socket.getPeerCertificate();
  return ok(`${socket.getProtocol() ?? 'TLS'}, certificate of ${String(issuer?.O ?? 'unknown')} until ${valid_to}`);
}

function tlsFailure(error: Error): Result {
  const code = 'code' in error ? String(error.code) : '';
  // What OpenSSL says has its own source files in it; what Node says may have advice of its own behind a semicolon.
  const detail = 'reason' in error ? String(error.reason) : reason(error).replace(/;.*$/s, '');
  return failed(EXIT.unreachable, detail, adviceForTls(code));
}

function adviceForTls(code: string): string {
  if (/SELF_SIGNED|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY/.test(code)) {
    return 'a proxy or virus scanner reads this connection: give Node its certificate with NODE_EXTRA_CA_CERTS';
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') return "check this machine's date and the relay's certificate";
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'the certificate is for another name: check the address';
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'nothing speaks TLS there: is the address one with http:// or another port?';
  return 'check the address, the network and its firewall';
}

async function checkRelay(relay: string): Promise<Result> {
  try {
    const { name, version, protocol } = await RelayHttp.health(relay);
    if (name !== 'lineup-relay') return failed(EXIT.refused, `${relay} is something else`, 'check the address');
    if (protocol !== 1) return failed(EXIT.protocol, `the relay speaks protocol ${protocol}`, 'update lineup, or the relay');
    return ok(`version ${version}, protocol ${protocol}`);
  } catch (error) {
    if (error instanceof RelayError) return failed(EXIT.refused, `HTTP ${error.status}: ${error.message}`, 'is this the address of a LineUp relay?');
    if (!(error instanceof NetworkError)) return failed(EXIT.unreachable, reason(error), 'try again later, or check the address');
    if (!isStranger(error)) return failed(EXIT.unreachable, reasonOf(error), 'try again later, or check the address');
    return failed(EXIT.refused, `${relay} is something else`, 'check the address; a network that wants a login answers like this, too');
  }
}

async function checkClock(relay: string): Promise<Result> {
  const skew = await clockSkew(relay).catch(() => null);
  if (skew === null)
    return warning('the relay does not tell its time', 'update the relay: until then, times of expiry count by the clock of this machine');
  const seconds = Math.round(Math.abs(skew) / 1_000);
  if (Math.abs(skew) < SKEW_TO_MENTION_MS) return ok(`${seconds} s apart`);
  return warning(
    `this machine's clock is ${seconds} s ${skew > 0 ? 'ahead' : 'behind'}`,
    'switch on time synchronisation (timedatectl set-ntp true)',
  );
}

async function checkToken({ relay, token }: Setup): Promise<Result> {
  try {
    await new RelayHttp({ origin: relay, token: () => token }).devices();
  } catch (error) {
    if (!(error instanceof RelayError)) return failed(EXIT.unreachable, reason(error), 'try again later');
    if (error.status !== 401) return failed(EXIT.refused, error.message, 'see the code in docs/protocol.md');
    return failed(EXIT.unauthorized, 'the relay does not take it', 'run "lineup setup --renew", or give a new LINEUP_AGENT_TOKEN');
  }
  const left = expiryOf(token) - Date.now();
  if (left < TOKEN_TO_MENTION_MS)
    return warning(`good for ${Math.max(0, Math.floor(left / DAY_MS))} more days`, 'run the agent: it is renewed by itself');
  return ok(Number.isFinite(left) ? `good for ${Math.floor(left / DAY_MS)} days` : 'good');
}

/** ms since the epoch; infinite when the token does not tell. */
function expiryOf(token: string): number {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const isDated = typeof claims === 'object' && claims !== null && 'exp' in claims && typeof claims.exp === 'number';
  return isDated ? Number(claims.exp) * 1_000 : Number.POSITIVE_INFINITY;
}

/** For a token that is none the relay opens the socket and closes it with 4401 (§4): the way is free, and the running agent keeps its connection. */
function checkWebSocket({ relay, conversationId = `cv_${'0'.repeat(24)}` }: Setup): Promise<Result> {
  return new Promise((resolve) => {
    const socket = new NodeWebSocket(socketUrl(relay, conversationId), ['lineup.v1', 'lineup.token.none']);
    const blocked = (detail: string) => failed(EXIT.unreachable, detail, 'a proxy or firewall does not let WebSockets through');
    const deadline = setTimeout(() => done(blocked('no answer')), DEADLINE_MS);
    const done = (result: Result) => {
      clearTimeout(deadline);
      socket.terminate();
      resolve(result);
    };
    socket.on('error', (error) => done(blocked(error.message)));
    socket.on('close', (code) => done(code === CLOSE.unauthorized ? ok('the way is free') : blocked(`closed with ${code}`)));
  });
}
