// taxiway migrate: applying migrations, their status, the trial on a copy, and the way back to the saved copy.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Finding } from '../../src/checks/finding.ts';
import { acquireLocks } from '../../src/runtime/lock.ts';
import { unpackDatabase } from '../upgrades/released.ts';
import { openWorkshop, type Workshop } from './test-host.ts';

let workshop: Workshop;
beforeEach(() => {
  workshop = openWorkshop();
});
afterEach(() => workshop[Symbol.dispose]());

const inside = (...path: string[]) => join(workshop.folder, ...path);

describe('migrate', () => {
  it('applies pending migrations once and reports them', async () => {
    const before = JSON.parse((await workshop.run(['migrate', '--status', '--json'])).stdout);
    expect((await workshop.run(['migrate', '--status'])).stdout).toMatch(/^(?:pending {2}\d{4}_\w+\n)+$/);
    expect(before.applied).toEqual([]);
    expect(before.waiting.length).toBeGreaterThan(0);
    expect(existsSync(inside('data'))).toBe(false);

    expect((await workshop.run(['migrate'])).stdout).toBe(
      before.waiting.map((name: string) => `applied  ${name}\n`).join(''),
    );
    const again = await workshop.run(['migrate', '--json']);
    expect(JSON.parse(again.stdout)).toEqual({ applied: [] });
    const after = JSON.parse((await workshop.run(['migrate', '--status', '--json'])).stdout);
    expect(after).toEqual({ applied: before.waiting, waiting: [], unknown: [] });
  });

  it('rejects a database of a newer program', async () => {
    await workshop.run(['migrate']);
    const client = new Sqlite(inside('data/taxiway.db'));
    client.exec("INSERT INTO schema_migrations (name, applied_at) VALUES ('9999_later', 0)");
    client.close();
    const { code, stderr } = await workshop.run(['migrate']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^taxiway: .*newer version of Taxiway \(it has 9999_later\)/);
    const findings: Finding[] = JSON.parse((await workshop.run(['check', '--json'])).stdout);
    expect(findings.find(({ name }) => name === 'migrations')).toMatchObject({ status: 'fail' });
  });

  it('tries the upgrade on a copy with --check, and changes nothing', async () => {
    unpackDatabase('0.2.0.db.gz', inside('data'));
    const { waiting } = JSON.parse((await workshop.run(['migrate', '--status', '--json'])).stdout);
    const { code, stdout } = await workshop.run(['migrate', '--check', '--json']);
    const result = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(Object.keys(result)).toEqual([
      'migrations',
      'copy_ms',
      'migrate_ms',
      'background_rows',
      'needed_bytes',
      'free_bytes',
    ]);
    expect(result.background_rows).toBeGreaterThan(0);
    expect(result.migrations).toEqual(waiting);
    // The kept copy alone has the size of the database.
    expect(result.needed_bytes).toBeGreaterThan(statSync(inside('data/taxiway.db')).size);
    const words = (await workshop.run(['migrate', '--check'])).stdout;
    expect(words).toMatch(/^tried {2}0006_icon_colors\n/);
    expect(words).toMatch(
      /The upgrade takes about [\d.]+ s for the copy of the database and [\d.]+ s for the migrations\.\n/,
    );
    expect(words).toMatch(
      /Then the server counts \d+ earlier rows while it runs\. "[a-z ]+check" shows how far it is\.\n/,
    );
    expect(words).toMatch(/It needs [\d.]+ MB of disk space in .*data, and [\d.]+ [MG]B are free\.\n$/);
    const after = JSON.parse((await workshop.run(['migrate', '--status', '--json'])).stdout);
    expect(after.waiting).toEqual(waiting);
    expect(readdirSync(inside('data')).filter((name) => !/-(?:wal|shm)$/.test(name))).toEqual(['taxiway.db']);
  });

  it('rejects --check without a database, and says if nothing is pending', async () => {
    const missing = await workshop.run(['migrate', '--check']);
    expect(missing).toMatchObject({
      code: 1,
      stderr: `taxiway: there is no database ${inside('data/taxiway.db')}; name the configuration of the server with --config, or start the server first\n`,
    });
    await workshop.run(['migrate']);
    expect(await workshop.run(['migrate', '--check'])).toMatchObject({
      code: 0,
      stderr: 'The database is up to date.\n',
    });
  });

  it('goes back to the saved copy with --undo, and lists what is lost before', async () => {
    unpackDatabase('0.2.0.db.gz', inside('data'));
    const nothing = await workshop.run(['migrate', '--undo']);
    expect(nothing.code).toBe(1);
    expect(nothing.stderr).toContain('so there is nothing to undo');
    await workshop.run(['migrate']);
    const client = new Sqlite(inside('data/taxiway.db'));
    client.exec(`CREATE TEMP TABLE added AS SELECT * FROM devices LIMIT 1;
      UPDATE added SET id = 'added', udid = 'added';
      INSERT INTO devices SELECT * FROM added`);
    client.close();
    const asked = await workshop.run(['migrate', '--undo']);
    expect(asked).toMatchObject({ code: 0, stdout: 'would be lost  1 devices\n' });
    expect(asked.stderr).toContain('stop the server and run the command again with --yes');
    expect(existsSync(inside('data/taxiway.db.undone-0006_icon_colors'))).toBe(false);

    const done = await workshop.run(['migrate', '--undo', '--yes', '--json']);
    expect(JSON.parse(done.stdout)).toMatchObject({
      copy: inside('data/taxiway.db.before-0006_icon_colors'),
      lost: { devices: 1, builds: 0, audit_events: 0 },
      undone_file: inside('data/taxiway.db.undone-0006_icon_colors'),
    });
    const status = JSON.parse((await workshop.run(['migrate', '--status', '--json'])).stdout);
    expect(status.waiting[0]).toBe('0006_icon_colors');
    const undone = new Sqlite(inside('data/taxiway.db.undone-0006_icon_colors'));
    expect(undone.prepare("SELECT count(*) FROM devices WHERE id = 'added'").pluck().get()).toBe(1);
    undone.close();
  });

  it('does not go back twice', async () => {
    unpackDatabase('0.2.0.db.gz', inside('data'));
    await workshop.run(['migrate']);
    // The copy of an upgrade before.
    writeFileSync(
      inside('data/taxiway.db.before-0001_build_texts'),
      readFileSync(inside('data/taxiway.db.before-0006_icon_colors')),
    );
    expect((await workshop.run(['migrate', '--undo', '--yes'])).code).toBe(0);
    const again = await workshop.run(['migrate', '--undo', '--yes']);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("isn't upgraded to this version");
    expect(again.stderr).toContain('so there is nothing to undo');
    expect(existsSync(inside('data/taxiway.db.before-0001_build_texts'))).toBe(true);
  });

  it('keeps the heads of the audit trail with the upgraded database, also if it was killed before they were removed', async () => {
    unpackDatabase('0.2.0.db.gz', inside('data'));
    await workshop.run(['migrate']);
    const heads = inside('data/taxiway.db.audit-heads');
    const kept = inside('data/taxiway.db.undone-0006_icon_colors.audit-heads');
    writeFileSync(heads, 'heads of the upgraded database\n');
    expect((await workshop.run(['migrate', '--undo', '--yes'])).code).toBe(0);
    expect([existsSync(heads), readFileSync(kept, 'utf8')]).toEqual([false, 'heads of the upgraded database\n']);
    // As if the command had been killed between its last two steps.
    writeFileSync(heads, readFileSync(kept));
    const refused = await workshop.run(['migrate', '--undo']);
    expect([refused.code, existsSync(heads)]).toEqual([1, true]);
    const again = await workshop.run(['migrate', '--undo', '--yes']);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('is complete now') });
    expect([existsSync(heads), existsSync(kept)]).toEqual([false, true]);
    // Those of the previous version stay.
    writeFileSync(heads, 'later heads\n');
    expect((await workshop.run(['migrate', '--undo', '--yes'])).code).toBe(1);
    expect(readFileSync(heads, 'utf8')).toBe('later heads\n');
  });

  it('rejects --undo beside a running server, and a damaged copy', async () => {
    unpackDatabase('0.2.0.db.gz', inside('data'));
    await workshop.run(['migrate']);
    const lockFile = inside('data/taxiway.db.lock');
    const release = acquireLocks([{ lockFile, name: 'the database' }]);
    const refused = await workshop.run(['migrate', '--undo', '--yes']);
    release();
    expect(refused).toMatchObject({ code: 1, stderr: 'taxiway: the server is running; stop it first\n' });
    const copy = inside('data/taxiway.db.before-0006_icon_colors');
    const bytes = readFileSync(copy);
    writeFileSync(copy, bytes.fill(7, 40_960, 45_056));
    const damaged = await workshop.run(['migrate', '--undo', '--yes']);
    expect(damaged.code).toBe(1);
    expect(damaged.stderr).toContain(`the copy ${copy} is damaged: `);
    expect(existsSync(inside('data/taxiway.db.undone-0006_icon_colors'))).toBe(false);
  });

  it('takes --yes only with --undo, and one mode at a time', async () => {
    expect((await workshop.run(['migrate', '--yes'])).code).toBe(2);
    expect((await workshop.run(['migrate', '--undo', '--check'])).code).toBe(2);
    expect((await workshop.run(['migrate', '--status', '--check'])).code).toBe(2);
  });

  it('rejects a file that is not a database, in one line', async () => {
    mkdirSync(inside('data'));
    writeFileSync(inside('data/taxiway.db'), 'x'.repeat(10_000));
    const { code, stderr } = await workshop.run(['migrate']);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `taxiway: the database ${inside('data/taxiway.db')} is damaged (file is not a database, SQLITE_NOTADB). Nothing was changed. ` +
        'Restore it from a backup, and check the disk.\n',
    );
  });
});
