// What accounts and members cost when there are many: queries and cleanup jobs read only the rows that they are about.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listDue, listStale } from '../../src/accounts/exports/store.ts';
import type { Tx } from '../../src/core/context.ts';
import { systemContext } from '../../src/core/transact.ts';
import { developers, totpFactors } from '../../src/data/tables/tables.ts';
import { HOUR } from '../../src/lib/clock.ts';
import { hasOtherAdmin, listAdminAddresses } from '../../src/organizations/members/store.ts';
import { deleteUnconfirmedTotp } from '../../src/second-factors/store.ts';
import { deleteOldUnconfirmedTotp } from '../../src/second-factors/totp-enrollment.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { plansOf, stepsOn } from '../support/plans.ts';

let fixture: Fixture;
beforeEach(async () => {
  fixture = await startFixture();
});
afterEach(() => fixture?.stop());

describe('queries and cleanup jobs', () => {
  it.each<[string, string, (tx: Tx) => unknown, string[]]>([
    [
      'exports in preparation',
      'data_exports',
      (tx) => listStale(tx, tx.now, 10),
      ['SEARCH data_exports USING INDEX data_exports_preparing (created_at<?)'],
    ],
    [
      'expired archives',
      'data_exports',
      (tx) => listDue(tx, tx.now, 10),
      ['SEARCH data_exports USING INDEX data_exports_ready (expires_at<?)'],
    ],
    [
      'unconfirmed authenticator apps',
      'totp_factors',
      (tx) => deleteUnconfirmedTotp(tx, tx.now, 10),
      [
        'SEARCH totp_factors USING COVERING INDEX sqlite_autoindex_totp_factors_1 (developer_id=?)',
        'SEARCH totp_factors USING INDEX totp_factors_unconfirmed (created_at<?)',
      ],
    ],
    [
      'another admin',
      'organization_memberships',
      (tx) => hasOtherAdmin(tx, fixture.organization_id, fixture.admin.developer_id),
      ['SEARCH organization_memberships USING INDEX organization_memberships_admins (organization_id=?)'],
    ],
    [
      'the addresses of admins, in their order',
      'organization_memberships',
      (tx) => listAdminAddresses(tx, fixture.organization_id),
      ['SEARCH organization_memberships USING INDEX organization_memberships_admins (organization_id=?)'],
    ],
  ])('read %s without other rows', async (_what, table, work, expected) => {
    const { app } = fixture;
    const plans = await plansOf(app.db.$client, () =>
      systemContext(app).transact((tx) => void work(tx), { bookkeeping: true }),
    );
    expect(stepsOn(table, plans)).toEqual(expected);
  });

  it('delete as many unconfirmed authenticator apps in a step as it may', () => {
    const { app } = fixture;
    const now = app.clock.time();
    for (let number = 0; number < 5; number += 1) {
      const id = app.ids.next();
      app.db
        .insert(developers)
        .values({ id, email: `${id}@example.com`, displayName: '', createdAt: now })
        .run();
      // The last one isn't old.
      const createdAt = number === 4 ? now : now - HOUR;
      app.db.insert(totpFactors).values({ developerId: id, secretEncrypted: '', createdAt }).run();
    }
    const ctx = systemContext(app);
    expect(deleteOldUnconfirmedTotp(ctx, now, 3)).toBe(3);
    expect(deleteOldUnconfirmedTotp(ctx, now, 3)).toBe(1);
    expect(app.db.select().from(totpFactors).all()).toMatchObject([{ createdAt: now }]);
  });
});
