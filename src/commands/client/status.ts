// Who can install a build: the status line, and the question before one that nobody can install is released.
import { describeStatus, englishStatus } from '../../compatibility/status-line.ts';
import { Refusal } from '../../lib/failure.ts';
import { type CommandHost, plainText } from '../host.ts';
import { ask } from '../prompt.ts';
import { type Api, ApiRefusal } from './api.ts';
import { type Build, DeviceCounts } from './shapes.ts';

/** As many builds as one request counts devices for. */
const MAX_COUNTED = 100;
const SOON_MS = 14 * 86_400_000;

const days = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
const formatDate = (timestamp: string) => days.format(new Date(timestamp));

/** "2.3.1 (305)"; on iOS the number is the package's own text. */
export function nameBuild(build: Build): string {
  return plainText(`${build.version_name} (${build.display_build_number ?? build.build_number})`);
}

/** Returns the status line of each build by its identifier; builds of a server that doesn't say have none. */
export async function readStatusLines(api: Api, builds: readonly Build[]): Promise<ReadonlyMap<string, string>> {
  const counts = await countDevices(
    api,
    builds.filter(({ platform, installability }) => platform === 'ios' && installability?.status === 'installable'),
  );
  return new Map(
    builds.flatMap(({ identifier, installability }) =>
      installability === undefined
        ? []
        : [[identifier, describeStatus(installability, englishStatus, formatDate, counts.get(identifier))]],
    ),
  );
}

async function countDevices(api: Api, builds: readonly Build[]) {
  const counts = new Map<string, { devices_total: number; devices_able: number }>();
  for (let at = 0; at < builds.length; at += MAX_COUNTED) {
    const part = builds.slice(at, at + MAX_COUNTED);
    const query = {
      organization_id: part[0]?.organization_id,
      project_id: part[0]?.project_id,
      build_ids: part.map(({ identifier }) => identifier).join(','),
    };
    try {
      const { items } = await api.send({ method: 'GET', path: '/builds/device-counts', query }, DeviceCounts);
      for (const { build_id: id, ...count } of items) counts.set(id, count);
    } catch (error) {
      // An older server, or a token that reads no builds: the line does without the numbers.
      if (!(error instanceof ApiRefusal)) throw error;
    }
  }
  return counts;
}

/** Warns of a profile that expires within two weeks. `now` in milliseconds. */
export function describeExpiry(build: Build, now: number): string | undefined {
  const { status, profile_expires_at: expiresAt } = build.installability ?? {};
  if (status !== 'installable' || expiresAt === undefined || expiresAt === null) return undefined;
  if (Date.parse(expiresAt) - now >= SOON_MS) return undefined;
  return `the profile expires on ${formatDate(expiresAt)}; after that the app neither installs nor opens`;
}

/**
 * Asks before a build that nobody can install is released; `--yes` answers beforehand. Throws Refusal when the answer is no
 * or nobody can be asked.
 */
export async function confirmRelease(
  host: CommandHost,
  build: Build,
  channelName: string,
  isConfirmed: boolean,
): Promise<void> {
  const { installability } = build;
  if (installability?.status !== 'uninstallable' || isConfirmed) return;
  const line = describeStatus(installability, englishStatus, formatDate);
  if (host.keyboard === undefined) {
    throw new Refusal(`${line}. Add --yes to release it onto ${plainText(channelName)} anyway.`);
  }
  const question = `${line}. Release it onto ${plainText(channelName)} anyway? [y/N] `;
  const answer = await ask(host, question, { otherwise: line });
  if (!/^y(es)?$/i.test(answer)) throw new Refusal('not released');
}
