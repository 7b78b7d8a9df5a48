// The offer to add a passkey: made after a person's first install, not before, until it is accepted or declined.
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { App, DeveloperContext } from '../core/context.ts';
import { developers, downloads, ssoIdentities } from '../data/tables/tables.ts';
import { updateDeveloper } from './store.ts';

/**
 * Returns whether a person gets the offer: an account without a passkey and without an identity provider that has downloaded
 * a build.
 */
export function isPasskeyOffered(app: Pick<App, 'db'>, developerId: string): boolean {
  const hasInstalled = sql`exists (select 1 from ${downloads} where ${downloads.developerId} = ${developerId})`;
  const signsInElsewhere = sql`exists (select 1 from ${ssoIdentities} where ${ssoIdentities.developerId} = ${developerId})`;
  return (
    app.db
      .select({ id: developers.id })
      .from(developers)
      .where(
        and(
          eq(developers.id, developerId),
          eq(developers.passkeyCount, 0),
          isNull(developers.passkeyOfferClosedAt),
          hasInstalled,
          sql`not ${signsInElsewhere}`,
        ),
      )
      .get() !== undefined
  );
}

/** Ends the offer, whether the person accepted or declined it. */
export function closePasskeyOffer(ctx: DeveloperContext): void {
  ctx.transact((tx) => updateDeveloper(tx, ctx.actor.id, { passkeyOfferClosedAt: tx.now }), { bookkeeping: true });
}
