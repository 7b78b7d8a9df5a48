// Muted channels.
import { and, eq } from 'drizzle-orm';
import type { App, Tx } from '../../core/context.ts';
import { channelMutes } from '../../data/tables/tables.ts';

const isMute = (channelId: string, developerId: string) =>
  and(eq(channelMutes.channelId, channelId), eq(channelMutes.developerId, developerId));

/** Returns whether a developer has muted a channel. */
export function isMuted({ db }: Pick<App, 'db'>, channelId: string, developerId: string): boolean {
  return db.select().from(channelMutes).where(isMute(channelId, developerId)).get() !== undefined;
}

/** Mutes or unmutes a channel for a developer. Recorded in the developer's audit trail if it changes anything. */
export function setMuted(tx: Tx, channelId: string, developerId: string, muted: boolean): void {
  const { changes } = muted
    ? tx.db.insert(channelMutes).values({ channelId, developerId, mutedAt: tx.now }).onConflictDoNothing().run()
    : tx.db.delete(channelMutes).where(isMute(channelId, developerId)).run();
  if (changes === 0) return;
  tx.record('notification_preference.edited', {
    identifier: developerId,
    organizationId: null,
    developerId,
    details: { channel_id: channelId, muted },
  });
}
