// Looks up the DNS record that proves the ownership of a domain.
import type { App } from '../core/context.ts';
import { codeOf } from '../lib/error-code.ts';

const TIMEOUT_MS = 3_000;
const TRIES = 2;
const MAX_RECORDS = 100;

/** Resolver error codes for "no such record", as opposed to "no answer". */
const absent = new Set(['ENOTFOUND', 'ENODATA']);

export type Lookup = 'found' | 'missing' | 'unanswered';

/** Queries the configured name servers, or those of the machine, for a TXT record with exactly this value. */
export async function lookUpRecord({ config, log }: App, name: string, value: string): Promise<Lookup> {
  const { Resolver } = await import('node:dns/promises');
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (config.sso.dns_servers.length > 0) resolver.setServers([...config.sso.dns_servers]);
  try {
    const records = await resolver.resolveTxt(name);
    return records.slice(0, MAX_RECORDS).some((chunks) => chunks.join('') === value) ? 'found' : 'missing';
  } catch (error) {
    const code = codeOf(error);
    if (absent.has(code)) return 'missing';
    log.warn({ code }, 'name servers not responding');
    return 'unanswered';
  }
}
