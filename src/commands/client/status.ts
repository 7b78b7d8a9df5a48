// The status line of builds, and the confirmation before releasing a build that nobody can install.
import { describeStatus, englishStatus } from '../../compatibility/status-line.ts';
import { Refusal } from '../../lib/failure.ts';
import { type CommandHost, plainText } from '../host.ts';
import { ask } from '../prompt.ts';
import { type Api, ApiRefusal } from './api.ts';
import { type Build, DeviceCounts } from './shapes.ts';

/** Maximum number of builds in one request for device counts. */
const MAX_COUNTED = 100;
const SOON_MS = 14 * 86_400_000;

const days = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
const formatDate = (timestamp: string) => days.format(new Date(timestamp));

/** Returns the name of a build, such as "2.3.1 (305)". On iOS the number is the package's own text. */
export function nameBuild(build: Build): string {
  return plainText(`${build.version_name} (${build.display_build_number ?? build.build_number})`);
}

/** Returns the status line of each build by its id. Older servers don't return the facts for it. */
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
      // The server is older, or the token can't read builds. The line then has no numbers.
      if (!(error instanceof ApiRefusal)) throw error;
    }
  }
  return counts;
}

/** Returns a warning if the profile expires within two weeks. `now` is in milliseconds. */
export function describeExpiry(build: Build, now: number): string | undefined {
  const { status, profile_expires_at: expiresAt } = build.installability ?? {};
  if (status !== 'installable' || expiresAt === undefined || expiresAt === null) return undefined;
  if (Date.parse(expiresAt) - now >= SOON_MS) return undefined;
  return `the profile expires on ${formatDate(expiresAt)}; after that the app neither installs nor opens`;
}

/**
 * Asks before releasing a build that nobody can install, unless `--yes` was given. Throws Refusal if the answer is no
 * or there is no terminal.
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
    throw new Refusal(`${line}. Add --yes to release it to ${plainText(channelName)} anyway.`);
  }
  const question = `${line}. Release it to ${plainText(channelName)} anyway? [y/N] `;
  const answer = await ask(host, question, { otherwise: line });
  if (!/^y(es)?$/i.test(answer)) throw new Refusal('not released');
}
