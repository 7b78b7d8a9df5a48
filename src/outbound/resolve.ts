// Resolves the addresses of a host. Name servers are queried directly, because lookups with the system's resolver can't
// be aborted and block threads of the whole process: names with unresponsive servers would delay all other lookups.
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../lib/error-code.ts';

/** Returns all addresses of a host name, at least one. Throws if it has none or no server responds. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>;

/** The sources of name lookups. */
export interface NameSources {
  hostsFile: string;
  /** Name servers as `address:port`; those of the system by default. */
  servers?: readonly string[];
  /** How long the first try waits for a name server; 2 s by default. */
  serverTimeoutMs?: number;
  /** The system's own resolver. */
  lookUp(name: string): Promise<string[]>;
}

type HostNames = ReadonlyMap<string, readonly string[]>;

const TIMEOUT_MS = 2_000;
const TRIES = 2;
/**
 * How long to wait for the second address family once the first is known, because some name servers never respond for
 * one of them.
 */
const OTHER_FAMILY_MS = 300;
const LOOPBACK = ['127.0.0.1', '::1'];
const LARGEST_HOSTS_FILE = 8_000_000;

function sourcesOfSystem(): NameSources {
  return {
    hostsFile: process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts',
    async lookUp(name) {
      const { lookup } = await import('node:dns/promises');
      return (await lookup(name, { all: true })).map(({ address }) => address);
    },
  };
}

/**
 * Creates a resolver with these sources, in order: `localhost`, the hosts file, the name servers, and the system for
 * names only it knows (search domains, names on the local link). The system resolves one name at a time. Names in
 * `.local` (RFC 6762) go to it directly, names with unresponsive servers never do.
 */
export function createResolve(sources: NameSources = sourcesOfSystem()): Resolve {
  const findInHostsFile = createHostsFile(sources.hostsFile);
  const inTurn = createTaskQueue();
  return async (host, signal) => {
    const name = host.toLowerCase().replace(/\.$/, '');
    if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK;
    const listed = await findInHostsFile(name);
    if (listed.length > 0) return [...listed];
    const told = name.endsWith('.local') ? [] : await askServers(name, sources, signal);
    return told.length > 0 ? told : inTurn(() => sources.lookUp(name), signal);
  };
}

/**
 * Returns the addresses from name servers, IPv4 first, or none if the name is unknown. Throws if the servers don't
 * respond.
 */
async function askServers(
  name: string,
  { servers, serverTimeoutMs = TIMEOUT_MS }: NameSources,
  signal: AbortSignal,
): Promise<string[]> {
  const { Resolver } = await import('node:dns/promises');
  signal.throwIfAborted();
  const resolver = new Resolver({ timeout: serverTimeoutMs, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const told: string[][] = [[], []];
  let isSilent = false;
  const questions = [resolver.resolve4(name), resolver.resolve6(name)].map(async (answer, index) => {
    try {
      told[index] = await answer;
    } catch (error) {
      if (codeOf(error) === 'ETIMEOUT') isSilent = true;
    }
  });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  await Promise.race(questions);
  const both = Promise.all(questions);
  await (told.flat().length > 0 ? Promise.race([both, sleep(OTHER_FAMILY_MS)]) : both);
  signal.removeEventListener('abort', cancel);
  cancel();
  signal.throwIfAborted();
  const addresses = told.flat();
  if (addresses.length === 0 && isSilent) throw Object.assign(new Error('silent name servers'), { code: 'EAI_AGAIN' });
  return addresses;
}

/**
 * Looks up names in a hosts file. It is only read again when it changes, because some files have a hundred thousand
 * names.
 */
function createHostsFile(path: string): (name: string) => Promise<readonly string[]> {
  let version = '';
  let names: HostNames = new Map();
  return async (name) => {
    const { mtimeMs, size } = await stat(path).catch(() => ({ mtimeMs: 0, size: 0 }));
    if (version !== `${mtimeMs} ${size}`) {
      names = parseHosts(size > LARGEST_HOSTS_FILE ? '' : await readFile(path, 'utf8').catch(() => ''));
      version = `${mtimeMs} ${size}`;
    }
    return names.get(name) ?? [];
  };
}

function parseHosts(text: string): HostNames {
  const names = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...listed] = line.replace(/#.*/, '').trim().split(/\s+/);
    for (const name of listed) {
      const known = names.get(name.toLowerCase());
      if (known === undefined) names.set(name.toLowerCase(), [address]);
      else known.push(address);
    }
  }
  return names;
}

/** Runs one task at a time. Tasks aborted while waiting aren't started; running ones finish first. */
function createTaskQueue(): <Result>(work: () => Promise<Result>, signal: AbortSignal) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work, signal) => {
    const turn = last.then(() => {
      signal.throwIfAborted();
      return work();
    });
    last = turn.catch(() => undefined);
    return turn;
  };
}
