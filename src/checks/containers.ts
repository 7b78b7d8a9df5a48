// Health check of the services that containers of organizations need: whether they respond, and whether their clocks agree with this
// machine's. Without credentials, because those are only used by the server: it validates the containers.
import type Sqlite from 'better-sqlite3';
import type { Config } from '../config.ts';
import { hasTable } from '../data/has-table.ts';
import { describeFailure } from '../lib/failure.ts';
import { locateContainer, tokenUrlOf } from '../storage/azure/location.ts';
import { createTransport } from '../storage/s3/transport.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Assertions are rejected by a clock that differs more. */
const MAX_SKEW_MS = 60_000;
const MAX_ACCOUNTS = 5;
const LIMITS = { silenceMs: 5_000, totalMs: 8_000, maxBytes: 256 * 1024 };

interface Row {
  account: string;
  container: string;
  tenantId: string;
}

/** Returns no finding if no organization has a container. `now` is the clock of this machine in milliseconds. */
export async function checkContainers(
  { byosa }: Pick<Config, 'byosa'>,
  client: Sqlite.Database,
  now: () => number,
): Promise<Finding[]> {
  if (!hasTable(client, 'customer_containers')) return [];
  const rows = client
    .prepare<[number], Row>(
      `SELECT account, min(container) AS container, min(tenant_id) AS tenantId FROM customer_containers
        WHERE organization_id IS NOT NULL GROUP BY account ORDER BY account LIMIT ?`,
    )
    .all(MAX_ACCOUNTS);
  const [first] = rows;
  if (first === undefined) return [];
  const endpoints = { authorityHost: byosa.azure_authority_host, endpointSuffix: byosa.azure_endpoint_suffix };
  const urls = [
    tokenUrlOf(endpoints, first.tenantId),
    ...rows.map((row) => locateContainer(endpoints, row).accountUrl()),
  ];
  const transport = createTransport();
  try {
    const findings = (await Promise.all(urls.map((url) => examine(url)))).filter((found) => found !== undefined);
    if (findings.length > 0) return findings;
    const names = urls.map(({ host }) => host);
    return [ok('containers', `${[...new Set(names)].join(', ')} respond, and their clocks agree with this machine's`)];
  } finally {
    transport.close();
  }

  async function examine(url: URL): Promise<Finding | undefined> {
    try {
      const startedAt = now();
      // Any response tells the time.
      const { headers } = await transport.send({ method: 'HEAD', url, headers: {} }, LIMITS);
      const at = Date.parse(headers.date ?? '');
      if (Number.isNaN(at)) return undefined;
      const skew = at - (startedAt + now()) / 2;
      if (Math.abs(skew) <= MAX_SKEW_MS) return undefined;
      const direction = skew > 0 ? 'behind' : 'ahead of';
      const seconds = Math.round(Math.abs(skew) / 1000);
      return fail('container clock', `the clock of this machine is ${seconds} s ${direction} that of ${url.host}`);
    } catch (error) {
      return warn('containers', `${url.host} can't be reached: ${describeFailure(error)}`);
    }
  }
}
