// Finds the addresses of a host without the system's resolver wherever possible: that one occupies threads which the whole
// process shares, so that one name whose servers are silent would hold up every other webhook.
import { readFile } from 'node:fs/promises';

/** Answers every address of a host name, at least one; throws when it has none or nobody answers. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>;

const TIMEOUT_MS = 2_000;
const TRIES = 2;
const LOOPBACK = ['127.0.0.1', '::1'];
const LARGEST_HOSTS_FILE = 1_000_000;

const hostsFile = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';

/**
 * In this order: `localhost`, the hosts file, the name servers, and what only the system knows (search domains, multicast
 * DNS). The last is not asked when the name servers are silent.
 */
export const resolveHost: Resolve = async (host, signal) => {
  const name = host.toLowerCase().replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK;
  const listed = await findInHostsFile(name);
  if (listed.length > 0) return listed;
  const { lookup, Resolver } = await import('node:dns/promises');
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  signal.removeEventListener('abort', cancel);
  signal.throwIfAborted();
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length > 0) return found;
  const isSilent = answers.some((answer) => answer.status === 'rejected' && codeOf(answer.reason) === 'ETIMEOUT');
  if (isSilent) throw new Error('the name servers did not answer');
  return (await lookup(name, { all: true })).map(({ address }) => address);
};

async function findInHostsFile(name: string): Promise<string[]> {
  const text = await readFile(hostsFile, 'utf8').catch(() => '');
  if (text.length > LARGEST_HOSTS_FILE) return [];
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return names.some((listed) => listed.toLowerCase() === name) ? [address] : [];
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
