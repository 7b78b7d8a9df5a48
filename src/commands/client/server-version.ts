// Compares the version of a client that a server has handed out with that of the server.
import { readBoundedText } from '../../lib/bounded-text.ts';
import { Refusal } from '../../lib/failure.ts';
import * as z from '../../lib/zod.ts';
import { type CommandHost, plainText } from '../host.ts';

const TIMEOUT_MS = 10_000;
const LARGEST_ANSWER_BYTES = 64 * 1024;
const ServerVersion = z.object({ version: z.string().max(100) });

/**
 * Warns if the server has another version, and throws Refusal if the major version differs. Says nothing if the server can't be
 * asked: the command itself reports that.
 */
export async function compareVersions(host: CommandHost, url: string): Promise<void> {
  const { clientVersion: own } = host;
  if (own === undefined) return;
  const theirs = await readVersion(url);
  if (theirs === undefined || theirs === own) return;
  const said = `this client has version ${own}, and the server ${plainText(theirs)}`;
  const way = `the client that fits: ${url}/cli/taxiway.cjs`;
  if (majorOf(theirs) !== majorOf(own)) throw new Refusal(`${said}; download ${way}`);
  host.say(`Warning: ${said}; ${way}\n`);
}

const majorOf = (version: string) => version.split('.')[0];

async function readVersion(url: string): Promise<string | undefined> {
  try {
    const answer = await fetch(`${url}/api/v1/version`, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!answer.ok) return undefined;
    return ServerVersion.parse(JSON.parse(await readBoundedText(answer, LARGEST_ANSWER_BYTES))).version;
  } catch {
    return undefined;
  }
}
