// Health check of the version: whether the URL that the operator set names a newer release. Without a URL, nobody is asked.
import type { Config } from '../config.ts';
import { describeFailure } from '../lib/failure.ts';
import { redactUrl } from '../lib/redact.ts';
import { withoutAccount } from '../lib/url-account.ts';
import { version as own } from '../lib/version.ts';
import * as z from '../lib/zod.ts';
import { type Finding, ok, warn } from './finding.ts';

const NAME = 'updates';
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 1024 * 1024;
const VERSION = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})(-[\w.-]{1,50})?$/;

/** What code hosts respond with about their latest release, and the file of a server without one. */
const release = z.union([z.object({ tag_name: z.string() }), z.object({ version: z.string() })]);

/** Returns no finding without a URL. A release that can't be read is only a warning, because the server works. */
export async function checkUpdates({ updates }: Pick<Config, 'updates'>, ask: typeof fetch): Promise<Finding[]> {
  const { url } = updates;
  if (url === '') return [];
  try {
    const found = await readRelease(url, ask);
    if (!isNewer(found, own.version))
      return [ok(NAME, `${own.version} is the newest release`, 'update_none', { version: own.version })];
    return [
      warn(NAME, `${found} is available, this is ${own.version}`, 'update_available', { found, version: own.version }),
    ];
  } catch (error) {
    const reason = describeReason(error);
    // The query can have a token.
    const address = redactUrl(url);
    return [warn(NAME, `${address} doesn't name the newest release: ${reason}`, 'update_unknown', { address, reason })];
  }
}

async function readRelease(address: string, ask: typeof fetch): Promise<string> {
  // Nothing about this server is sent, not even its version.
  const { url, authorization } = withoutAccount(address);
  const headers = { Accept: 'application/json', 'User-Agent': 'taxiway', ...(authorization && { authorization }) };
  const response = await ask(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  const found = release.safeParse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  if (!found.success) throw new Error('no tag_name or version');
  const name = 'tag_name' in found.data ? found.data.tag_name : found.data.version;
  if (!VERSION.test(name)) throw new Error("its version doesn't have the form 1.2.3");
  return name.replace(/^v/, '');
}

/** Returns whether a release is newer. Release candidates aren't recommended, but their release is to people who use one. */
function isNewer(found: string, running: string): boolean {
  const [, ...other] = VERSION.exec(found) ?? [];
  const [, ...mine] = VERSION.exec(running) ?? [];
  if (other[3] !== undefined) return false;
  for (const at of [0, 1, 2]) {
    const difference = Number(other[at]) - Number(mine[at]);
    if (difference !== 0) return difference > 0;
  }
  return mine[3] !== undefined;
}

/** fetch says only that it failed; its cause has the reason. A parser's message would quote the response. */
function describeReason(error: unknown): string {
  if (error instanceof SyntaxError) return 'no JSON';
  return describeFailure(error instanceof Error && error.cause !== undefined ? error.cause : error);
}
