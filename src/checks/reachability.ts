// Check of the way in: opens base_url as a phone would, and says which step is missing when it does not get there.
import { get } from 'node:https';
import type Sqlite from 'better-sqlite3';
import { internalNames } from '../certificates/names.ts';
import { basePathOf } from '../config/base-path.ts';
import type { Config } from '../config.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const POLLING_TIMEOUT_MS = 5_000;
const MOST_BYTES = 4096;
const NAME = 'reach';

/** Asks base_url for its health over https; nothing is asked where installs are not possible anyway. */
export async function checkReach(
  { server, ...config }: Config,
  client: Sqlite.Database | undefined,
): Promise<Finding[]> {
  const { base_url: baseUrl, tls } = server;
  if (!baseUrl.startsWith('https:')) return [];
  const root = tls.mode === 'internal' ? findRoot({ server, ...config }, client) : undefined;
  try {
    const body = await read(`${baseUrl}/health/live`, root);
    if (!/"status" *: *"ok"/.test(body)) {
      return [
        warn(
          NAME,
          `${baseUrl} answers, but not as Taxiway: lead ${basePathOf({ server }) || 'it'} to port ${server.port} of this machine`,
          'reach_other_program',
          { address: baseUrl, port: server.port },
        ),
      ];
    }
    const trust =
      root === undefined ? 'a certificate that this machine trusts' : 'a certificate of the private authority';
    return [ok(NAME, `${baseUrl} answers with ${trust}`, 'reach_answers', { address: baseUrl })];
  } catch (error) {
    return [explain(baseUrl, error, server)];
  }
}

function findRoot(config: Config, client: Sqlite.Database | undefined): string | undefined {
  const table = client?.prepare("SELECT 1 FROM sqlite_master WHERE name = 'certificate_authorities'").get();
  if (client === undefined || table === undefined) return undefined;
  const sql = 'SELECT certificate FROM certificate_authorities WHERE names = ? ORDER BY id DESC';
  return client
    .prepare<[string], string>(sql)
    .pluck()
    .get(JSON.stringify(internalNames(config)));
}

function read(address: string, root: string | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      agent: false,
      signal: AbortSignal.timeout(POLLING_TIMEOUT_MS),
      ...(root === undefined ? {} : { ca: root }),
    };
    const request = get(address, options, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
        if (body.length > MOST_BYTES) response.destroy(new Error('it answers too much'));
      });
      response.on('error', reject);
      response.on('end', () => resolve(body));
    });
    request.on('error', reject);
  });
}

const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** What stands in the way, with the next step. Whether the server runs is not known here, so that silence is no failure. */
function explain(baseUrl: string, error: unknown, { port, tls }: Config['server']): Finding {
  const { hostname } = new URL(baseUrl);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = error instanceof Error ? error.message : String(error);
  if (UNTRUSTED.has(code)) {
    const step =
      tls.mode === 'internal'
        ? 'another certificate than that of the private authority is shown: what stands before this server?'
        : 'send the intermediate certificates along, or get a certificate from an authority that phones know';
    return fail(NAME, `${baseUrl} has a certificate that is not trusted (${code}): ${step}`, 'reach_untrusted', {
      address: baseUrl,
      error: code,
    });
  }
  if (code === 'CERT_HAS_EXPIRED')
    return fail(NAME, `${baseUrl} has a certificate that has ended: renew it`, 'reach_expired', { address: baseUrl });
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return fail(NAME, `${baseUrl} has a certificate for other names: get one for ${hostname}`, 'reach_other_names', {
      address: baseUrl,
      host: hostname,
    });
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return warn(
      NAME,
      `${hostname} is not known here: make a DNS record that phones can look up`,
      'reach_unknown_host',
      { host: hostname },
    );
  }
  if (code === 'ECONNREFUSED') {
    return warn(
      NAME,
      `nothing listens at ${baseUrl}: start the server, and lead that port to port ${port}`,
      'reach_nothing_listens',
      { address: baseUrl, port },
    );
  }
  if (code === 'ABORT_ERR' || code === 'ETIMEDOUT') {
    return warn(NAME, `${baseUrl} does not answer: start the server, and let firewalls pass https`, 'reach_no_answer', {
      address: baseUrl,
    });
  }
  return warn(NAME, `${baseUrl} cannot be opened from here: ${reason}`, 'reach_failed', { address: baseUrl, reason });
}
