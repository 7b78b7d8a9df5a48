// taxiway audit export and taxiway verify.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import { systemContext } from '../../src/core/transact.ts';
import { createMovableClock } from '../../src/lib/clock.ts';
import { openInstalled, openWorkshop, type Workshop } from './test-host.ts';

let workshop: Workshop;
let organizationId: string;
let developerId: string;

beforeEach(async () => {
  ({ workshop, organizationId, developerId } = await openInstalled('[log]\nlevel = "silent"\n'));
});
afterEach(() => workshop[Symbol.dispose]());

/** Rows of known moments, written as a server would at those. */
async function record(...moments: string[]): Promise<void> {
  for (const moment of moments) {
    const clock = createMovableClock(new Date(moment));
    const { app, close } = await openApp(loadConfig({ env: {}, cwd: workshop.folder }), { clock });
    const context = systemContext(app);
    Object.assign(context.request, { ipAddress: '192.0.2.7' });
    context.transact((tx) => tx.record('sso.config_changed', { identifier: organizationId, organizationId }));
    await close();
  }
}

const database = () => new Sqlite(join(workshop.folder, 'data/taxiway.db'));
const exporting = (...words: string[]) => workshop.run(['audit', 'export', '--organization', organizationId, ...words]);

describe('audit export', () => {
  it('prints four columns as CSV, oldest first', async () => {
    await record('2020-01-31T12:00:00.000Z', '2020-02-01T00:00:00.000Z');
    const { code, stdout, stderr } = await exporting('--from', '2020-01-01', '--to', '2020-02-01');
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout:
        'timestamp,event_type_label,data_type_label,ip_address\r\n' +
        '2020-01-31T12:00:00.000Z,Org SSO config changed,Org SSO,192.0.2.7\r\n' +
        '2020-02-01T00:00:00.000Z,Org SSO config changed,Org SSO,192.0.2.7\r\n',
      stderr: '',
    });
  });

  it('prints whole events as lines of JSON', async () => {
    await record('2020-01-31T12:00:00.000Z');
    const { stdout } = await exporting('--format', 'jsonl', '--to', '2020-12-31');
    expect(stdout.endsWith('\n')).toBe(true);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        timestamp: '2020-01-31T12:00:00.000Z',
        event: 'org_sso_config_changed',
        type: 'org_sso',
        identifier: organizationId,
        actor: { kind: 'system', identifier: null, name: null },
        ip_address: '192.0.2.7',
        details: {},
        event_type_label: 'Org SSO config changed',
        data_type_label: 'Org SSO',
      },
    ]);
  });

  it('accepts inclusive days, and exports everything without any', async () => {
    await record('2020-01-01T00:00:00.000Z', '2020-01-01T23:59:59.999Z', '2020-01-02T00:00:00.000Z');
    const count = async (...words: string[]) => (await exporting(...words)).stdout.split('\r\n').length - 2;
    expect(await count('--from', '2020-01-01', '--to', '2020-01-01')).toBe(2);
    expect(await count('--from', '2020-01-02', '--to', '2020-12-31')).toBe(1);
    expect(await count('--to', '2019-12-31')).toBe(0);
    // Founding the organization were two events.
    expect(await count()).toBe(5);
  });

  it('has no limit', async () => {
    const { app, close } = await openApp(loadConfig({ env: {}, cwd: workshop.folder }));
    systemContext(app).transact((tx) => {
      for (let number = 0; number < 6_000; number += 1) {
        tx.record('channel.edited', { identifier: String(number), organizationId });
      }
    });
    await close();
    const { stdout } = await exporting('--format', 'jsonl');
    const identifiers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).identifier);
    expect(identifiers.slice(2)).toEqual(Array.from({ length: 6_000 }, (_, number) => String(number)));
  });

  it.each([
    [['--from', '2020-02-30'], 'It must be a day such as 2026-01-31.'],
    [['--from', '2020-02-02', '--to', '2020-02-01'], '--to 2020-02-01 is before --from 2020-02-02'],
    [['--format', 'xml'], 'csv, jsonl'],
  ])('rejects %o', async (words, text) => {
    const { code, stderr } = await exporting(...words);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(text) });
  });

  it('lists existing and deleted organizations', async () => {
    const unknown = await workshop.run(['audit', 'export', '--organization', developerId.replace(/^./, 'f')]);
    expect(unknown).toMatchObject({ code: 1, stderr: 'taxiway: There is no organization with this ID\n' });
    const client = database();
    client.exec('DELETE FROM organizations');
    client.close();
    expect((await exporting('--from', '2000-01-01')).stdout).toContain('Created,Organization');
  });
});

describe('verify', () => {
  it('reports that the trail is unchanged, with the heads of its chains', async () => {
    const { code, stdout } = await workshop.run(['verify']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'audit trail: 3 rows in 2 chains, unmodified\n' });
    const whole = JSON.parse((await workshop.run(['verify', '--json'])).stdout);
    expect(whole).toMatchObject({ ok: true, rows: 3, problems: [], unlisted_problems: 0 });
    expect(whole.heads.map((head: { chain: string }) => head.chain).sort()).toEqual(
      [organizationId, developerId].sort(),
    );
  });

  it('reports the position of a change', async () => {
    const client = database();
    client.prepare("UPDATE audit_events SET actor_name = 'Nobody' WHERE type = 'organization'").run();
    client.close();
    const { code, stdout, stderr } = await workshop.run(['verify']);
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`^altered  ${organizationId}:1  [0-9a-f-]{36}  \\S+Z  the row doesn't match`));
    expect(stderr).toBe('taxiway: the audit trail was modified in 1 place\n');
    const whole = await workshop.run(['verify', '--json']);
    expect([whole.code, JSON.parse(whole.stdout).ok]).toEqual([1, false]);
  });

  it('detects a truncated end by a logged head', async () => {
    const { heads } = JSON.parse((await workshop.run(['verify', '--json'])).stdout);
    const head = heads.find((one: { chain: string }) => one.chain === organizationId);
    const words = ['verify', '--head', `${head.chain}:${head.sequence}:${head.hash}`];
    expect((await workshop.run(words)).code).toBe(0);
    const client = database();
    client.prepare('DELETE FROM audit_events WHERE chain = ? AND sequence = 2').run(organizationId);
    client.close();
    expect((await workshop.run(['verify'])).code).toBe(0);
    expect(await workshop.run(words)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`${organizationId}:2`),
    });
    expect((await workshop.run(['verify', '--head', 'nonsense'])).code).toBe(2);
  });

  it('reports that it cannot verify checkpoints without the key', async () => {
    await record('2020-01-31T12:00:00.000Z');
    const client = database();
    const cut = client.prepare('SELECT sequence, hash FROM audit_events WHERE chain = ? ORDER BY sequence LIMIT 1');
    const { sequence, hash } = cut.get(organizationId) as { sequence: number; hash: string };
    client.prepare('DELETE FROM audit_events WHERE chain = ? AND sequence = ?').run(organizationId, sequence);
    client
      .prepare("INSERT INTO audit_checkpoints (chain, sequence, hash, trimmed_at, seal) VALUES (?, ?, ?, 0, 'forged')")
      .run(organizationId, sequence, hash);
    client.close();
    expect(await workshop.run(['verify'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("weren't deleted by retention"),
    });
    rmSync(join(workshop.folder, 'data/secret.key'));
    expect(await workshop.run(['verify'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(
        "without the secret key it can't be verified whether retention deleted the rows up to here",
      ),
    });
  });

  it('reports an empty trail', async () => {
    using empty = openWorkshop();
    const { code, stderr } = await empty.run(['verify']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^taxiway: there is no database \S+; name the configuration of the server with --config, /,
      ),
    });
  });
});
