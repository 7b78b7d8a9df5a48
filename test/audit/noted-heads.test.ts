// The saved heads of the audit chains: rows deleted from the end of a chain are detected.

import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { auditHeadsOf, headFileOf, readChainHeads } from '../../src/audit/chain-heads.ts';
import { verifyAuditTrail } from '../../src/audit/verify.ts';
import { systemContext } from '../../src/core/transact.ts';
import { DAY } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { createAccount } from '../support/harness.ts';
import { countRowsInOneTurn } from '../support/turns.ts';

let fixture: Fixture;
beforeEach(async () => {
  fixture = await startFixture();
  for (let number = 1; number <= 20; number += 1) record(String(number));
});
afterEach(() => fixture.stop());

function record(identifier: string): void {
  const { organization_id: organizationId } = fixture;
  systemContext(fixture.app).transact((tx) => tx.record('channel.edited', { identifier, organizationId }));
}

const database = () => fixture.app.db.$client;
const file = () => headFileOf(fixture.config.database.file);
const note = () => auditHeadsOf(fixture.app).note();
const kept = () => readChainHeads(fixture.config.database.file, fixture.app.secrets.keyring);
const verify = () => verifyAuditTrail(database(), fixture.app.secrets.keyring, [], kept()).problems;
const cut = (rows: number) =>
  database()
    .prepare(
      'DELETE FROM audit_events WHERE id IN (SELECT id FROM audit_events WHERE chain = ? ORDER BY sequence DESC LIMIT ?)',
    )
    .run(fixture.organization_id, rows);
const headOf = (chain: string) =>
  Math.max(...(kept()?.heads ?? []).filter((head) => head.chain === chain).map(({ sequence }) => sequence));
/** A day later the file is written again, with one head for each chain. */
async function compact(): Promise<void> {
  fixture.clock.advance(DAY);
  await note();
}

describe('saved heads', () => {
  it('cover every chain, in a file that only the owner can read', async () => {
    await note();
    await note();
    const last = database().prepare('SELECT max(sequence) FROM audit_events WHERE chain = ?').pluck();
    for (const chain of [fixture.organization_id, fixture.admin.developer_id]) {
      expect(headOf(chain)).toBe(last.get(chain));
    }
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(verify()).toEqual([]);
  });

  it('detect that the newest rows were deleted, also if others were written since', async () => {
    await note();
    await note();
    cut(3);
    const place = Number(
      database().prepare('SELECT max(sequence) FROM audit_events WHERE chain = ?').pluck().get(fixture.organization_id),
    );
    expect(verify()).toMatchObject([{ chain: fixture.organization_id, sequence: place + 3, problem: 'removed' }]);
    for (const identifier of ['new 1', 'new 2', 'new 3', 'new 4']) record(identifier);
    await note();
    expect(verify()).toMatchObject([{ chain: fixture.organization_id, sequence: place + 3, problem: 'altered' }]);
    await compact();
    expect(verify()).toMatchObject([{ chain: fixture.organization_id, sequence: place + 3, problem: 'altered' }]);
  });

  it('of many chains are compared and written while other requests run', async () => {
    const chains = 400;
    const add = database().prepare(
      `INSERT INTO audit_events (id, timestamp, event, type, identifier, actor_kind, details, chain, sequence, hash)
        VALUES (@id, @now, 'edited', 'channel', 'c', 'system', '{}', @id, 1, @hash)`,
    );
    for (let number = 0; number < chains; number += 1)
      add.run({ id: fixture.app.ids.next(), now: fixture.clock.now().getTime(), hash: '0'.repeat(64) });
    await note();
    fixture.clock.advance(DAY);
    expect(await countRowsInOneTurn(database(), note)).toBeLessThan(50);
    expect(kept()?.heads.filter(({ hash }) => hash === '0'.repeat(64))).toHaveLength(chains);
    expect(kept()?.foreignLines).toEqual([]);
  });

  it('follow deletions by retention', async () => {
    await note();
    fixture.clock.advance(400 * DAY);
    await fixture.sweep('audit-retention');
    fixture.clock.advance(7 * DAY);
    expect(await fixture.sweep('audit-retention')).toBeGreaterThan(20);
    expect(verify()).toEqual([]);
    await compact();
    expect(verify()).toEqual([]);
  });

  it('are not missing after retention has deleted all events of a chain', async () => {
    const { developer_id: chain } = fixture.admin;
    const error = vi.spyOn(fixture.app.log, 'error');
    await note();
    const head = headOf(chain);
    fixture.clock.advance(400 * DAY);
    await fixture.sweep('audit-retention');
    fixture.clock.advance(7 * DAY);
    await fixture.sweep('audit-retention');
    expect(database().prepare('SELECT count(*) FROM audit_events').pluck().get()).toBe(0);
    await compact();
    expect(error.mock.calls).toEqual([]);
    expect([headOf(chain), verify()]).toEqual([head, []]);
    database().prepare('DELETE FROM audit_checkpoints WHERE chain = ?').run(chain);
    await compact();
    expect(error.mock.calls).toEqual([[{ heads: 1 }, 'audit events missing: run "taxiway verify"']]);
    expect(verify().map(({ chain: of, problem }) => [of, problem])).toContainEqual([chain, 'removed']);
  });

  it('are deleted with an account', async () => {
    const { developer_id: id } = await createAccount(fixture);
    await note();
    await note();
    expect(headOf(id)).toBeGreaterThan(0);
    database().prepare('UPDATE developers SET deletion_due_at = 1, locked_at = 1 WHERE id = ?').run(id);
    expect(await fixture.sweep('account-deletions')).toBe(1);
    expect(verify()).toEqual([]);
    await compact();
    expect(readFileSync(file(), 'utf8')).not.toContain(id);
    // The file needs the event of the deletion no longer.
    database().prepare("DELETE FROM audit_events WHERE chain = 'service'").run();
    expect(verify().filter(({ chain }) => chain === id)).toEqual([]);
  });

  it('cannot be forged without the secret key', async () => {
    await note();
    const forged = {
      at: '2026-01-01T00:00:00.000Z',
      heads: [`${fixture.organization_id}:1:${'0'.repeat(64)}`],
      seal: 'x.y',
    };
    const lines = readFileSync(file(), 'utf8').split('\n').length - 1;
    appendFileSync(file(), `${JSON.stringify(forged)}\nnonsense\n`);
    expect(verify()).toMatchObject([
      { chain: 'noted-heads', sequence: lines + 1, problem: 'altered' },
      { chain: 'noted-heads', sequence: lines + 2, problem: 'altered' },
    ]);
  });

  it('skip a line that a crash truncated', async () => {
    await note();
    appendFileSync(file(), '{"at":"2026-');
    expect(verify()).toEqual([]);
    writeFileSync(file(), '');
    expect(kept()).toEqual({ heads: [], foreignLines: [] });
  });

  it('are saved when the server stops', async () => {
    const own = await startFixture();
    const { config, app, organization_id: id } = own;
    const last = app.db.$client.prepare('SELECT max(sequence) FROM audit_events WHERE chain = ?').pluck().get(id);
    await auditHeadsOf(app).stop();
    const heads = readChainHeads(config.database.file, app.secrets.keyring)?.heads ?? [];
    expect(heads.some((head) => head.chain === id && head.sequence === last)).toBe(true);
    await own.stop();
    expect(existsSync(headFileOf(config.database.file))).toBe(false);
  });
});
