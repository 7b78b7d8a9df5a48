// Health check of reachability: opens base_url as a phone would, and names the missing step if that fails.
import type Sqlite from 'better-sqlite3';
import { internalNames } from '../certificates/names.ts';
import { basePathOf } from '../config/base-path.ts';
import type { Config } from '../config.ts';
import { hasTable } from '../data/has-table.ts';
import { codeOf } from '../lib/error-code.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const POLLING_TIMEOUT_MS = 5_000;
const MAX_BYTES = 4096;
const NAME = 'reach';

/** Requests the health endpoint of base_url over https. Without https, installs aren't possible and nothing is checked. */
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
          `${baseUrl} is served by another program: forward ${basePathOf({ server }) || 'it'} to port ${server.port} of this machine`,
          'reach_other_program',
          { address: baseUrl, port: server.port },
        ),
      ];
    }
    const trust =
      root === undefined ? 'a certificate that this machine trusts' : 'a certificate of the private authority';
    return [ok(NAME, `${baseUrl} responds with ${trust}`, 'reach_answers', { address: baseUrl })];
  } catch (error) {
    return [explain(baseUrl, error, server)];
  }
}

function findRoot(config: Config, client: Sqlite.Database | undefined): string | undefined {
  if (client === undefined || !hasTable(client, 'certificate_authorities')) return undefined;
  const sql = 'SELECT certificate FROM certificate_authorities WHERE names = ? ORDER BY id DESC';
  return client
    .prepare<[string], string>(sql)
    .pluck()
    .get(JSON.stringify(internalNames(config)));
}

async function read(address: string, root: string | undefined): Promise<string> {
  const { get } = await import('node:https');
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
        if (body.length > MAX_BYTES) response.destroy(new Error('response too large'));
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

/** Explains the failure and the next step. The server may simply not be running, so no response is only a warning. */
function explain(baseUrl: string, error: unknown, { port, tls }: Config['server']): Finding {
  const { hostname } = new URL(baseUrl);
  const code = codeOf(error);
  const reason = error instanceof Error ? error.message : String(error);
  if (UNTRUSTED.has(code)) {
    const step =
      tls.mode === 'internal'
        ? "it isn't from the private certificate authority of this server. Check the proxy in front of the server"
        : 'add the intermediate certificates, or get a certificate from an authority that phones trust';
    return fail(NAME, `${baseUrl} has an untrusted certificate (${code}): ${step}`, 'reach_untrusted', {
      address: baseUrl,
      error: code,
    });
  }
  if (code === 'CERT_HAS_EXPIRED')
    return fail(NAME, `${baseUrl} has an expired certificate: renew it`, 'reach_expired', { address: baseUrl });
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return fail(NAME, `${baseUrl} has a certificate for other names: get one for ${hostname}`, 'reach_other_names', {
      address: baseUrl,
      host: hostname,
    });
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return warn(NAME, `${hostname} can't be resolved: create a public DNS record`, 'reach_unknown_host', {
      host: hostname,
    });
  }
  if (code === 'ECONNREFUSED') {
    return warn(
      NAME,
      `connection refused at ${baseUrl}: start the server, and forward that port to port ${port}`,
      'reach_nothing_listens',
      { address: baseUrl, port },
    );
  }
  if (code === 'ABORT_ERR' || code === 'ETIMEDOUT') {
    return warn(
      NAME,
      `${baseUrl} doesn't respond: start the server, and allow https in the firewall`,
      'reach_no_answer',
      {
        address: baseUrl,
      },
    );
  }
  return warn(NAME, `${baseUrl} can't be opened from here: ${reason}`, 'reach_failed', { address: baseUrl, reason });
}
