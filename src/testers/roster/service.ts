// The testers of a channel, with their grants and installed builds.

import { displayBuildNumber } from '../../builds/build-number.ts';
import { listReaching, type ReachableChannel, type ReachingTester } from '../../channels/audience.ts';
import { loadChannel } from '../../channels/store.ts';
import type { Context, ProjectContext } from '../../core/context.ts';
import { FIRST_PAGE, type Page } from '../../core/paging.ts';
import { type Reply, reply } from '../../http/reply.ts';
import { timestamp } from '../../lib/clock.ts';
import { csvLine } from '../../lib/csv.ts';
import { startSteps } from '../../lib/steps.ts';
import { type PeopleRequest, personMatcher, readPeople } from '../people.ts';
import { nameDevice } from './device-name.ts';
import { createDeviceJudge } from './devices.ts';
import type { ChannelTester } from './schema.ts';
import * as store from './store.ts';

/** Returns a page of the testers of the channel, newest account first. */
export function listChannelTesters(
  ctx: ProjectContext,
  channelId: string,
  request: PeopleRequest,
): Promise<Page<ChannelTester>> {
  const channel = loadChannel(ctx, ctx.project.id, channelId);
  const judgeDevices = createDeviceJudge(ctx, channel);
  return readPeople(
    ctx,
    request,
    (before, limit) => listReaching(ctx, channel, { before, limit }),
    (row) => row,
    (row) => ({ ...toTester(ctx, channel, row), devices: judgeDevices(row.id) }),
  );
}

type TesterWithoutDevices = Omit<ChannelTester, 'devices'>;

function toTester(ctx: Context, channel: ReachableChannel, row: ReachingTester): TesterWithoutDevices {
  const grants = store.listGrantsTo(ctx, channel, row.id).map(({ id, projectId, channelId, since, ...link }) => ({
    identifier: id,
    level:
      channelId !== null ? ('channel' as const) : projectId !== null ? ('project' as const) : ('organization' as const),
    group_id: null,
    group_name: null,
    join_link_id: link.joinLinkId,
    join_link_label: link.joinLinkLabel,
    since: timestamp(since ?? 0),
  }));
  const groups = store.listGroupsTo(ctx, channel, row.id).map(({ id, groupId, groupName, since }) => ({
    identifier: id,
    level: 'group' as const,
    group_id: groupId,
    group_name: groupName,
    join_link_id: null,
    join_link_label: null,
    since: timestamp(since ?? 0),
  }));
  return {
    developer_id: row.id,
    email: row.email,
    display_name: row.displayName,
    is_verified: row.emailVerifiedAt !== null,
    muted: row.mutedAt !== null,
    grants: [...grants, ...groups],
    installed: findInstalled(ctx, channel, row.id),
  };
}

function findInstalled(ctx: Context, channel: ReachableChannel, developerId: string): ChannelTester['installed'] {
  const found = store.findNewestDownload(ctx, channel, developerId);
  return found === undefined
    ? null
    : {
        state: 'downloaded',
        release_id: found.releaseId,
        build_id: found.buildId,
        version_name: found.build?.versionName ?? null,
        build_number: found.build?.buildNumber ?? null,
        display_build_number: found.build === null ? null : displayBuildNumber(found.build),
        device: nameDevice(found.userAgent),
        at: timestamp(found.at),
      };
}

const EXPORTED_AT_ONCE = 200;

const HEADER = [
  'email',
  'display_name',
  'developer_id',
  'is_verified',
  'muted',
  'access_by',
  'state',
  'version_name',
  'build_number',
  'device',
  'at',
];

/** Returns all testers of the channel, or those that match `text`, as CSV. Other requests run in between. */
export async function exportChannelTesters(
  ctx: ProjectContext,
  channelId: string,
  text: string | undefined,
): Promise<Reply> {
  const channel = loadChannel(ctx, ctx.project.id, channelId);
  const isMatch = personMatcher(text);
  const step = startSteps();
  let table = csvLine(HEADER);
  let part = listReaching(ctx, channel, { before: FIRST_PAGE, limit: EXPORTED_AT_ONCE });
  while (part.length > 0) {
    for (const row of part) {
      await step();
      if (isMatch(row)) table += csvLine(toCells(toTester(ctx, channel, row)));
    }
    part = listReaching(ctx, channel, { before: part.at(-1)?.id ?? '', limit: EXPORTED_AT_ONCE });
  }
  return reply('text/csv; charset=utf-8; header=present', table, {
    'content-disposition': `attachment; filename="testers-${channelId}.csv"`,
  });
}

function toCells({ grants, installed, ...person }: TesterWithoutDevices): (string | null)[] {
  return [
    person.email,
    person.display_name,
    person.developer_id,
    String(person.is_verified),
    String(person.muted),
    grants.map((way) => way.group_name ?? way.join_link_label ?? way.level).join('; '),
    installed?.state ?? null,
    installed?.version_name ?? null,
    installed?.display_build_number ?? null,
    installed?.device ?? null,
    installed?.at ?? null,
  ];
}

/** Returns whether a request asks for CSV: with `format=csv`, or by an Accept header that starts with text/csv. */
export function asksForCsv(ctx: Pick<Context, 'request'>, format: 'json' | 'csv' | undefined): boolean {
  if (format !== undefined) return format === 'csv';
  return /^\s*text\/csv\b/i.test(ctx.request.header('accept') ?? '');
}
