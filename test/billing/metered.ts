// What the tests of metered use share: a server with billing and without a provider, and the API of its first organization.

import { lt } from 'drizzle-orm';
import { useAccount } from '../../src/billing/accounts.ts';
import { addEntry } from '../../src/billing/ledger.ts';
import type { PartialConfig } from '../../src/config.ts';
import { systemContext } from '../../src/core/transact.ts';
import type { Db } from '../../src/data/database.ts';
import { reservations, SUMS_AT } from '../../src/data/tables/tables.ts';
import { type BuildScenario, startBuildScenario } from '../builds/scenario.ts';
import { api, type Client, type Json, signIn } from '../support/harness.ts';

const MIB = 1024 * 1024;

/** Prices with which a MiB that is stored for 30 days of November costs 10 cents, and one that is downloaded 1 cent. */
const PRICES = { storage_gib_month_cents: 10_240, download_gib_cents: 1024, seat_month_cents: 0 };

export interface MeteredScenario extends BuildScenario {
  billing(path?: string): Promise<Json>;
  credit(cents: number): void;
  organization: string;
  /** The administrator, signed in again after the clock moved. */
  current(): Promise<Client>;
}

export async function startMetered(
  billing: PartialConfig['billing'] = {},
  config: PartialConfig = {},
): Promise<MeteredScenario> {
  const scenario = await startBuildScenario({
    config: {
      ...config,
      limits: { build_size_bytes: MIB },
      billing: { enabled: true, prices: PRICES, trial_days: 30, ...billing },
    },
  });
  const { fixture } = scenario;
  const { app, organization_id: organization } = fixture;
  let client = api(fixture);
  let signedInAt = fixture.clock.now().getTime();
  async function current(): Promise<Client> {
    const now = fixture.clock.now().getTime();
    if (Math.abs(now - signedInAt) > 60_000) {
      client = (await signIn(fixture)).client;
      signedInAt = now;
    }
    return client;
  }
  return {
    ...scenario,
    organization,
    current,
    async billing(path = 'billing') {
      return (await (await current()).get<Json>(`/api/v1/organizations/${organization}/${path}`)).body;
    },
    credit(cents) {
      systemContext(app).transact((tx) => {
        useAccount(tx, organization);
        addEntry(tx, { organizationId: organization, kind: 'topup', amountCents: cents, source: 'operator' });
      });
    },
  };
}

/** Returns what is set aside, without the sums. */
export function listReservations({ db }: { db: Db }) {
  return db.select().from(reservations).where(lt(reservations.expiresAt, SUMS_AT)).all();
}
