// Every request that leads to a package, for organizations that are locked or can't pay.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useAccount } from '../../src/billing/accounts.ts';
import { downloadMeterOf } from '../../src/billing/downloads.ts';
import { addEntry } from '../../src/billing/ledger.ts';
import { findNewestUsage } from '../../src/billing/meters.ts';
import { systemContext } from '../../src/core/transact.ts';
import {
  billingAccounts,
  creditEntries,
  downloads,
  organizations,
  reservations,
} from '../../src/data/tables/tables.ts';
import { type InstallScenario, type Published, startInstallScenario } from '../install/scenario.ts';
import { type SdkScenario, startSdkScenario } from '../sdk/scenario.ts';
import { browser, type CreatedLink, share } from '../share-links/scenario.ts';
import { buildApk } from '../support/fixtures.ts';
import type { Client, Json } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import { listReservations } from './metered.ts';

interface Outcome {
  status: number;
  body: Json;
}

let scenario: InstallScenario;
let published: Published;
let capability: string;
let shared: CreatedLink;
let sharedButton: string;
let sdk: SdkScenario;
let tester: Client;
let update: { releaseId: string; held: { key: string; token: string } };

beforeAll(async () => {
  const prices = { storage_gib_month_cents: 0, download_gib_cents: 10_000_000, seat_month_cents: 0 };
  scenario = await startInstallScenario({ config: { billing: { enabled: true, trial_days: 3650, prices } } });
  setAccount({ balance: 10_000 });
  published = await scenario.publish(scenario.android, buildApk());
  const minted = await scenario.anyone.post<{ capability: string }>(`${published.path}/install-link`);
  capability = minted.body.capability;
  shared = await share(scenario, scenario.android, { channel_id: published.channelId });
  sharedButton = await browser(scenario).button(shared.url);
  const person = await addPerson(scenario.fixture);
  const organization = `/api/v1/organizations/${scenario.fixture.organization_id}`;
  expect((await (await scenario.staff()).post(`${organization}/testers`, { email: person.email })).status).toBe(201);
  tester = person.client;
  sdk = await startSdkScenario(scenario.fixture);
  const { update_token: token } = await sdk.enroll();
  update = { releaseId: await sdk.release('1.0', 1), held: { key: sdk.app.app_key, token } };
});
afterAll(() => scenario?.fixture.stop());

/** Leaves exactly this balance, cap and lock, and no reservations. */
function setAccount({
  balance = 10_000,
  cap = null,
  lock = null,
  advancesAt = null,
}: {
  balance?: number;
  cap?: number | null;
  lock?: 'suspended' | 'awaiting_payment' | 'grace' | null;
  advancesAt?: number | null;
}): void {
  const { app, organization_id: organizationId } = scenario.fixture;
  systemContext(app).transact(
    (tx) => {
      useAccount(tx, organizationId);
      tx.db.delete(reservations).run();
      tx.db.delete(creditEntries).run();
      tx.db.$client.exec('UPDATE usage_months SET downloaded_bytes = 0');
      tx.db.update(billingAccounts).set({ balanceCents: 0, monthlyCapCents: cap, operatorLock: lock }).run();
      tx.db.update(organizations).set({ lockReason: lock, lockAdvancesAt: advancesAt }).run();
      if (balance > 0) {
        addEntry(tx, { organizationId, kind: 'topup', amountCents: balance, source: 'operator' });
      }
    },
    { bookkeeping: true },
  );
}

const countDownloads = () => scenario.fixture.app.db.select().from(downloads).all().length;

const json = async (link: string, method = 'GET'): Promise<Outcome> => {
  const response = await scenario.follow(link, { method, headers: { accept: 'application/json' } });
  const text = await response.text();
  return { status: response.status, body: text === '' || response.status === 302 ? {} : JSON.parse(text) };
};
const at = (path: string) => `${scenario.base}${path}`;

const surfaces: Record<string, { ask: () => Promise<Outcome>; works: number }> = {
  'a build': {
    ask: () => scenario.ci.get(`/api/v1/builds/${published.build.identifier}/download`),
    works: 200,
  },
  'a public link': { ask: () => json(at(`${published.path}/download`)), works: 302 },
  'an install link': { ask: () => json(at(`${published.path}/install-link`), 'POST'), works: 201 },
  "a tester's install link": {
    ask: () => tester.post(`/api/v1/testers/me/releases/${published.releaseId}/install-link`),
    works: 201,
  },
  'a capability': { ask: () => json(at(`/public/v1/install/${capability}/download`)), works: 302 },
  'a feed': {
    ask: () => json(at(`/feeds/${published.channelId}/packages/${published.build.identifier}.apk`)),
    works: 302,
  },
  'a share link': { ask: () => json(sharedButton), works: 302 },
  'the SDK': { ask: () => sdk.ask(`/releases/${update.releaseId}/download`, update.held), works: 200 },
};

const states = [
  ['with funds', {}, undefined],
  ['without credit', { balance: 0 }, ['prepaid_credit_exhausted', {}]],
  ['with a balance below the cost', { balance: 1, cap: null }, ['prepaid_credit_exhausted', {}]],
  ['at the spend cap', { cap: 0 }, ['spend_cap_exceeded', {}]],
  ['without credit and at the cap', { balance: 0, cap: 0 }, ['prepaid_credit_exhausted', {}]],
  [
    'awaiting payment',
    { lock: 'awaiting_payment', balance: 0 },
    ['payment_required', { lock_reason: 'awaiting_payment' }],
  ],
  ['after its trial', { lock: 'grace', balance: 0, cap: 0 }, ['trial_ended', { lock_reason: 'grace' }]],
  ['suspended, within its period', { lock: 'suspended', balance: 0, cap: 0, advancesAt: 2 ** 43 }, undefined],
  [
    'suspended, after its period',
    { lock: 'suspended', balance: 0, advancesAt: 1 },
    ['billing_suspended', { lock_reason: 'suspended' }],
  ],
] as const;

// The packages of the SDK scenario have a few bytes, which even a cent pays.
const rows = states.flatMap(([state, account, refusal]) =>
  Object.keys(surfaces)
    .filter((surface) => surface !== 'the SDK' || state !== 'with a balance below the cost')
    .map((surface) => [surface, state, account, refusal] as const),
);

describe('a download', () => {
  beforeEach(() => setAccount({}));

  it.each(rows)('by %s of an organization %s', async (surface, state, account, refusal) => {
    const { ask, works } = surfaces[surface] as (typeof surfaces)[string];
    setAccount(account);
    const counted = countDownloads();
    const { status, body } = await ask();
    const held = listReservations(scenario.fixture.app);
    if (refusal === undefined) {
      expect(status, JSON.stringify(body)).toBe(works);
      // Downloads of suspended organizations are only metered.
      const isReserved = state === 'with funds' && !surface.endsWith('install link');
      expect(held.map(({ kind }) => kind)).toEqual(isReserved ? ['download'] : []);
      return;
    }
    const [error, details] = refusal;
    expect({ status, error: body.error, details: body.details }).toEqual({ status: 402, error, details });
    expect(held).toEqual([]);
    expect(countDownloads()).toBe(counted);
  });

  it.each(['a public link', 'a capability', 'a share link'])(
    'by %s that is refused shows people a neutral page in their language',
    async (surface) => {
      const links: Record<string, string> = {
        'a public link': at(`${published.path}/download`),
        'a capability': at(`/public/v1/install/${capability}/download`),
        'a share link': sharedButton,
      };
      for (const account of [{ balance: 0 }, { cap: 0 }, { lock: 'grace' as const }]) {
        setAccount(account);
        for (const [language, title] of [
          ['en', 'Currently not available'],
          ['de', 'Derzeit nicht verf'],
        ]) {
          const response = await scenario.follow(links[surface] ?? '', {
            headers: { accept: 'text/html', 'accept-language': String(language) },
          });
          const html = await response.text();
          expect([response.status, html.includes(String(title))]).toEqual([402, true]);
          expect(html).not.toMatch(/credit|balance|billing|payment|spend|trial|Guthaben|Zahlung|bezahl|Kosten/i);
        }
      }
    },
  );

  it('by HEAD is refused like one by GET, because its link works for GET, and reserves nothing', async () => {
    const links = [
      [at(`${published.path}/download`), 302],
      [at(`/public/v1/install/${capability}/download`), 302],
      [at(`/feeds/${published.channelId}/latest.apk`), 200],
    ] as const;
    for (const [link, works] of links) {
      setAccount({ balance: 0 });
      expect((await scenario.follow(link, { method: 'HEAD' })).status, link).toBe(402);
      setAccount({});
      expect((await scenario.follow(link, { method: 'HEAD' })).status, link).toBe(works);
      expect(listReservations(scenario.fixture.app)).toEqual([]);
    }
  });

  it.each(['a build', 'a public link', 'a capability', 'a share link', 'the SDK'])(
    'by %s is metered by the bytes that were sent',
    async (surface) => {
      const { app, organization_id: organizationId } = scenario.fixture;
      const bytes = () => findNewestUsage(app, organizationId)?.downloadedBytes ?? 0;
      const before = bytes();
      let link = '';
      if (surface === 'a build' || surface === 'the SDK') {
        link = String((await surfaces[surface]?.ask())?.body.download_url);
      } else {
        const response = await scenario.follow(
          surface === 'a public link'
            ? at(`${published.path}/download`)
            : surface === 'a capability'
              ? at(`/public/v1/install/${capability}/download`)
              : sharedButton,
        );
        link = response.headers.get('location') ?? '';
      }
      const sent = await (await scenario.follow(link)).arrayBuffer();
      expect(sent.byteLength).toBeGreaterThan(0);
      downloadMeterOf(app).flush();
      expect(bytes() - before).toBe(sent.byteLength);
    },
  );
});
