// Whether browsers may upload to the container of an organization from the origin of this server.
import type { App } from '../core/context.ts';
import type { ContainerLocation } from '../storage/azure/location.ts';
import type { Transport } from '../storage/s3/transport.ts';
import type { CorsRule } from './schema.ts';

const LIMITS = { silenceMs: 5_000, totalMs: 8_000, maxBytes: 64 * 1024 };

export type BrowserUploads = 'allowed' | 'blocked';

/** Returns the rule that the blob service of a storage account needs. */
export function corsRuleOf({ config }: Pick<App, 'config'>): CorsRule {
  return {
    allowed_origins: [new URL(config.server.base_url).origin],
    allowed_methods: ['PUT'],
    allowed_headers: ['content-type', 'x-ms-blob-type'],
    exposed_headers: ['ETag'],
    max_age_seconds: 3600,
  };
}

/** Asks as a browser does before an upload. Returns null if the service doesn't respond. */
export async function checkBrowserUploads(
  transport: Pick<Transport, 'send'>,
  location: ContainerLocation,
  { allowed_origins: [origin = ''], allowed_headers: needed }: CorsRule,
): Promise<BrowserUploads | null> {
  const headers = {
    origin,
    'access-control-request-method': 'PUT',
    'access-control-request-headers': needed.join(','),
  };
  try {
    const url = location.urlOf('taxiway-validation/cors');
    const answer = await transport.send({ method: 'OPTIONS', url, headers }, LIMITS);
    if (answer.status >= 500) return null;
    const origins = answer.headers['access-control-allow-origin'];
    const methods = listOf(answer.headers['access-control-allow-methods']);
    const allowed = listOf(answer.headers['access-control-allow-headers']);
    const isAllowed =
      answer.status === 200 &&
      (origins === '*' || origins === origin) &&
      (methods.includes('put') || methods.includes('*')) &&
      needed.every((name) => allowed.includes(name) || allowed.includes('*'));
    return isAllowed ? 'allowed' : 'blocked';
  } catch {
    return null;
  }
}

function listOf(header: string | string[] | undefined): readonly string[] {
  return String(header ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
}
