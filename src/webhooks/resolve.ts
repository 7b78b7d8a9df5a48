// Finds the addresses of a host. Name servers are asked directly: the system's resolver occupies threads which the whole
// process shares and cannot be broken off, so that names whose servers are silent would hold up every other look-up.
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Answers every address of a host name, at least one; throws when it has none or nobody answers. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>;

/** Whom a name is asked of. */
export interface NameSources {
  hostsFile: string;
  /** Name servers as `address:port`; those of the system when not given. */
  servers?: readonly string[];
  /** The system's own resolver. */
  lookUp(name: string): Promise<string[]>;
}

type HostNames = ReadonlyMap<string, readonly string[]>;

const TIMEOUT_MS = 2_000;
const TRIES = 2;
/** Some name servers never answer for one family of addresses: it is waited for so long once the other one is there. */
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
 * Makes a resolver that asks in this order: `localhost`, the hosts file, the name servers, and the system for what only it
 * knows (search domains, names on the local link). The system is asked for one name at a time, for names in `.local`
 * (RFC 6762) at once, and for none whose name servers are silent.
 */
export function createResolve(sources: NameSources = sourcesOfSystem()): Resolve {
  const findInHostsFile = createHostsFile(sources.hostsFile);
  const inTurn = createConcurrencyLimit();
  return async (host, signal) => {
    const name = host.toLowerCase().replace(/\.$/, '');
    if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK;
    const listed = await findInHostsFile(name);
    if (listed.length > 0) return [...listed];
    const told = name.endsWith('.local') ? [] : await askServers(name, sources.servers, signal);
    return told.length > 0 ? told : inTurn(() => sources.lookUp(name), signal);
  };
}

/** The addresses that name servers tell, those of IPv4 first; none when they know the name not. Throws when they are silent. */
async function askServers(
  name: string,
  servers: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<string[]> {
  const { Resolver } = await import('node:dns/promises');
  signal.throwIfAborted();
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const told: string[][] = [[], []];
  let isSilent = false;
  const questions = [resolver.resolve4(name), resolver.resolve6(name)].map(async (answer, index) => {
    try {
      told[index] = await answer;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ETIMEOUT') isSilent = true;
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

/** Looks names up in a hosts file, which is read again only when it has changed: some list a hundred thousand names. */
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

/** Does one thing at a time. What is broken off while it waits is not begun; what has begun keeps its turn to its end. */
function createConcurrencyLimit(): <Result>(work: () => Promise<Result>, signal: AbortSignal) => Promise<Result> {
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
