// The operator's commands for plans, locks and credit.
import { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DAY } from '../../src/lib/clock.ts';
import { openInstalled, type Workshop } from '../commands/test-host.ts';

let workshop: Workshop;
let id: string;

const configOf = (billing: string) => `[log]\nlevel = "silent"\n[plans]\ndefault_tier = "team"\n${billing}`;

async function open(billing: string): Promise<void> {
  ({ workshop, organizationId: id } = await openInstalled(configOf(billing)));
}

const run = (...words: string[]) => workshop.run(['organization', words[0] ?? '', id, ...words.slice(1)]);

async function state(...words: string[]) {
  const outcome = await run(...words, '--json');
  expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
  return JSON.parse(outcome.stdout);
}

function withDatabase<T>(work: (client: Sqlite.Database) => T): T {
  const client = new Sqlite(join(workshop.folder, 'data', 'taxiway.db'));
  try {
    return work(client);
  } finally {
    client.close();
  }
}

/** The recorded changes of the lifecycle, oldest first. */
const lifecycleChanges = () =>
  withDatabase((client) =>
    client
      .prepare<[], { actor_kind: string; details: string }>(
        "SELECT actor_kind, details FROM audit_events WHERE event = 'org_lifecycle_changed' ORDER BY sequence",
      )
      .all()
      .map(({ details, ...row }) => ({ ...row, details: JSON.parse(details) })),
  );

afterEach(() => workshop[Symbol.dispose]());

describe('with billing on', () => {
  beforeEach(() => open('[billing]\nenabled = true\n'));

  it('credit and refund move the balance, and never more than is available', async () => {
    expect(await state('credit', '--cents', '5000', '--note', 'Invoice 17')).toMatchObject({ balance_cents: 5000 });
    expect(await state('refund', '--cents', '2000', '--fee-cents', '100')).toMatchObject({ balance_cents: 3000 });
    const refused = await run('refund', '--cents', '3001');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Only 3000 cents are available') });
    expect((await run('credit', '--cents', '0')).code).toBe(2);
    for (const name of ['', ' ', 'dana\nroot', 'd'.repeat(101)]) {
      expect(await run('credit', '--cents', '1', '--operator', name), name).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Give one line of 1 to 100 characters'),
      });
    }
    for (const note of ['Invoice\n17', 'n'.repeat(501)]) {
      expect(await run('credit', '--cents', '1', '--note', note), note).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Give one line of at most 500 characters'),
      });
    }
    expect(await state('credit', '--cents', '1', '--note', '')).toMatchObject({ balance_cents: 3001 });
    const notes = withDatabase((client) =>
      client.prepare('SELECT note FROM credit_entries ORDER BY rowid').pluck().all(),
    );
    expect(notes).toEqual(['Invoice 17', null, null]);
  });

  it('list shows the balances', async () => {
    await state('credit', '--cents', '5000');
    const list = async (...words: string[]) => (await workshop.run(['organization', 'list', ...words])).stdout;
    expect(JSON.parse(await list('--json'))).toMatchObject([{ identifier: id, balance_cents: 5000 }]);
    expect(await list()).toMatch(/Northwind +team +1 member +0 projects +0 builds +5000 cents/);
  });

  it('list shows the locks and balances of the API', async () => {
    const list = async () => JSON.parse((await workshop.run(['organization', 'list', '--json'])).stdout);
    await state('credit', '--cents', '5000');
    // The trial has expired, and a month of a seat isn't billed yet.
    withDatabase((client) =>
      client.exec(`UPDATE billing_accounts SET trial_ends_at = 1; UPDATE organizations SET lock_advances_at = 1;
        UPDATE usage_months SET seat_ms = ${31 * DAY}; UPDATE price_lists SET seat_month_cents = 700`),
    );
    const shown = await state('set-ceiling', '700');
    expect(shown).toMatchObject({ lock_reason: 'grace', balance_cents: expect.any(Number) });
    expect(shown.balance_cents).toBeLessThan(5000);
    expect(await list()).toMatchObject([{ lock_reason: 'grace', balance_cents: shown.balance_cents }]);
    await state('lock', '--reason', 'suspended');
    writeFileSync(join(workshop.folder, 'config.toml'), configOf(''));
    const [row] = await list();
    expect(row).toMatchObject({ lock_reason: null });
    expect(row).not.toHaveProperty('balance_cents');
  });

  it('lock and unlock change the reason, and unlock removes its causes', async () => {
    for (const reason of ['suspended', 'awaiting_payment', 'grace']) {
      expect(await state('lock', '--reason', reason)).toMatchObject({ lock_reason: reason });
    }
    expect(await state('unlock')).toMatchObject({ lock_reason: null, locked_at: null });
    expect(await state('set-tier', 'business', '--commit')).toMatchObject({
      tier: 'business',
      lock_reason: 'awaiting_payment',
    });
    expect(await state('unlock', '--trial-days', '3')).toMatchObject({ tier: 'business', lock_reason: null });
  });

  it('lock, unlock and set-tier --commit are recorded also if neither lock nor lifecycle changes', async () => {
    const recorded = async (...words: string[]) => {
      const { length } = lifecycleChanges();
      await state(...words, '--operator', 'dana');
      return lifecycleChanges().slice(length);
    };
    const row = (lock_reason: string | null) => [
      { actor_kind: 'system', details: { from: 'trial', to: 'trial', lock_reason, operator_name: 'dana' } },
    ];
    expect(await recorded('unlock', '--trial-days', '60')).toEqual(row(null));
    for (let times = 0; times < 2; times += 1) {
      expect(await recorded('set-tier', 'team', '--commit')).toEqual(row('awaiting_payment'));
    }
    expect(await recorded('lock', '--reason', 'awaiting_payment')).toEqual(row('awaiting_payment'));
    expect(await recorded('lock', '--reason', 'awaiting_payment')).toEqual([]);
    expect(await recorded('unlock')).toEqual(row(null));
    expect(await recorded('unlock')).toEqual([]);
  });

  it('set-ceiling sets and removes what is spent at most', async () => {
    expect(await state('set-ceiling', '700')).toMatchObject({ account_ceiling_cents: 700, effective_cap_cents: 700 });
    expect(await state('set-ceiling', 'none')).toMatchObject({
      account_ceiling_cents: null,
      effective_cap_cents: null,
    });
    expect((await run('set-ceiling', '1.5')).code).toBe(2);
  });

  it('name the user by number if it has no name', async () => {
    vi.spyOn(os, 'userInfo').mockImplementation(() => {
      throw new Error('uv_os_get_passwd returned ENOENT');
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    await state('lock', '--reason', 'grace');
    const name = `uid ${process.getuid?.()}`;
    expect(lifecycleChanges()).toMatchObject([{ details: { lock_reason: 'grace', operator_name: name } }]);
  });

  it('are refused for organizations that do not exist', async () => {
    id = '01900000-0000-7000-8000-000000000000';
    const refused = await run('unlock');
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no organization with this ID'),
    });
  });
});

describe('without trials', () => {
  it('an organization awaits payment until it is unlocked for some days', async () => {
    await open('[billing]\nenabled = true\ntrial_days = 0\n');
    expect(await state('set-ceiling', 'none')).toMatchObject({ lock_reason: 'awaiting_payment', trial_ends_at: null });
    expect(await state('unlock', '--trial-days', '5')).toMatchObject({ lock_reason: null });
  });
});

describe('with billing off', () => {
  it('each command is refused with a sentence', async () => {
    await open('');
    for (const words of [
      ['set-tier', 'business'],
      ['lock', '--reason', 'grace'],
      ['unlock'],
      ['credit', '--cents', '1'],
      ['set-ceiling', '1'],
    ]) {
      const refused = await run(...words);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Billing is off on this server') });
    }
  });
});
