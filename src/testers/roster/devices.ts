// Compatibility of a tester's registered devices with the current release of a channel.
import { and, desc, eq, sql } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import { loadBuildFactsForMany } from '../../builds/compatibility-facts.ts';
import type { ReachableChannel } from '../../channels/audience.ts';
import { toInstallVerdict } from '../../compatibility/schema.ts';
import { judgeInstall } from '../../compatibility/verdict.ts';
import type { Context } from '../../core/context.ts';
import { prepared } from '../../data/database.ts';
import { devices } from '../../data/tables/tables.ts';
import { factsOfDevice } from '../../devices/compatibility-facts.ts';
import { findCurrent } from '../../releases/store.ts';
import type { ChannelTester } from './schema.ts';

const devicesOf = prepared((db) =>
  db
    .select()
    .from(devices)
    .where(
      and(
        // With a plus, so that SQLite reads the devices of the person, not all of the organization in the wanted order.
        sql`+${devices.organizationId} = ${placeholder('organizationId')}`,
        eq(devices.developerId, placeholder('developerId')),
      ),
    )
    .orderBy(desc(devices.id))
    .prepare(),
);

/** Returns a function that checks the devices of a tester. The build of the channel's current release is read once. */
export function createDeviceJudge(
  ctx: Context,
  channel: ReachableChannel,
): (developerId: string) => ChannelTester['devices'] {
  const build = findCurrent(ctx, channel.id)?.build;
  const facts = build === undefined ? null : loadBuildFactsForMany(ctx, build);
  const now = ctx.clock.time();
  return (developerId) =>
    devicesOf(ctx)
      .all({ organizationId: channel.organizationId, developerId })
      .map((row) => ({
        identifier: row.id,
        name: row.name,
        install: facts === null ? null : toInstallVerdict(judgeInstall(facts, factsOfDevice(row), now)),
      }));
}
