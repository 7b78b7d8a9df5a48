// The operator's commands for flags, emails, organizations and cleanup jobs.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openApp } from '../../src/app.ts';
import { CATALOG } from '../../src/commands/catalog.ts';
import { explainFailure } from '../../src/commands/open-app.ts';
import { loadConfig } from '../../src/config.ts';
import { systemContext } from '../../src/core/transact.ts';
import { Refusal } from '../../src/lib/failure.ts';
import { openInstalled, type Workshop } from './test-host.ts';

let workshop: Workshop;
let organizationId: string;

beforeEach(async () => {
  ({ workshop, organizationId } = await openInstalled('[log]\nlevel = "silent"\n'));
});
afterEach(() => workshop[Symbol.dispose]());

describe('flag', () => {
  const list = async () => (await workshop.run(['flag', 'list'])).stdout;

  it('lists flags, sets them for everyone and for one organization, archives and restores them', async () => {
    const byDefault = 'new_org_signups_enabled  on (default)\nbeta_dashboard           off (default)\n';
    expect(await list()).toBe(byDefault);
    expect((await workshop.run(['flag', 'set', 'new_org_signups_enabled', 'off'])).code).toBe(0);
    await workshop.run(['flag', 'set', 'beta_dashboard', 'on', '--organization', organizationId.toUpperCase()]);
    const set = `new_org_signups_enabled                 off\nbeta_dashboard                          off (default)\n  ${organizationId}  on\n`;
    expect(await list()).toBe(set);
    const { stdout } = await workshop.run(['flag', 'archive', 'beta_dashboard']);
    expect(stdout).toContain('beta_dashboard                          archived (off)\n');
    await workshop.run(['flag', 'restore', 'beta_dashboard']);
    expect(await list()).toBe(set.replace('off (default)', 'off'));
    expect(JSON.parse((await workshop.run(['flag', 'list', '--json'])).stdout)).toEqual([
      { key: 'new_org_signups_enabled', default: true, enabled: false, archived: false, organizations: [] },
      {
        key: 'beta_dashboard',
        default: false,
        enabled: false,
        archived: false,
        organizations: [{ organization_id: organizationId, enabled: true }],
      },
    ]);
  });

  it.each([
    [['set', 'unknown', 'on'], 2, 'there is no flag "unknown"'],
    [['archive', 'toString'], 2, 'there is no flag "toString"'],
    [['set', 'beta_dashboard', 'yes'], 2, 'the value must be "on" or "off", not "yes"'],
    [['set', 'beta_dashboard', 'on', '--organization', 'x'], 1, 'There is no organization with this ID'],
    [['list', '--organization', 'x'], 2, "unknown option '--organization'"],
  ])('rejects %o', async (words, code, text) => {
    const outcome = await workshop.run(['flag', ...words]);
    expect(outcome).toMatchObject({ code, stderr: expect.stringContaining(text) });
  });

  it('rejects a server-wide flag for one organization', async () => {
    const words = ['flag', 'set', 'new_org_signups_enabled', 'on', '--organization', organizationId];
    expect(await workshop.run(words)).toMatchObject({ code: 1, stderr: expect.stringContaining('whole server') });
  });
});

describe('mail', () => {
  beforeEach(async () => {
    const { app, close } = await openApp(loadConfig({ env: {}, cwd: workshop.folder }));
    for (const to of ['one@example.com', 'two@example.com']) {
      systemContext(app).transact(
        (tx) =>
          tx.mail({
            kind: 'test',
            to,
            content: () => ({
              subject: `To ${to}`,
              text: 'Hello\u001b[2J\nyou\n',
              html: '<p>Hello\u001b[2J</p>\n',
            }),
          }),
        { bookkeeping: true },
      );
    }
    await close();
  });

  it('lists emails without their texts, newest first, by address and state', async () => {
    const { stdout } = await workshop.run(['mail', 'list']);
    expect(stdout).toMatch(
      /^[0-9a-f-]{36} {2}\S+Z {2}kept {2}two@example\.com {2}To two@example\.com\n[0-9a-f-]{36} .*one@/,
    );
    expect(stdout).not.toContain('Hello');
    const mails = async (...words: string[]) =>
      JSON.parse((await workshop.run(['mail', 'list', '--json', ...words])).stdout).map(
        (mail: { to: string }) => mail.to,
      );
    expect(await mails('--to', 'ONE@example.com')).toEqual(['one@example.com']);
    expect(await mails('--state', 'sent')).toEqual([]);
    expect(await mails('--limit', '1')).toEqual(['two@example.com']);
    expect((await workshop.run(['mail', 'list', '--limit', '0'])).code).toBe(2);
  });

  it('prints a whole email without control characters', async () => {
    const [mail] = JSON.parse((await workshop.run(['mail', 'list', '--json'])).stdout);
    const { stdout } = await workshop.run(['mail', 'show', mail.identifier]);
    expect(stdout).toContain('To:       two@example.com\nSubject:  To two@example.com\n');
    expect(stdout.endsWith('\n\nHello\u{fffd}[2J\nyou\n')).toBe(true);
    const html = ['mail', 'show', mail.identifier, '--html'];
    expect((await workshop.run(html)).stdout).toBe('<p>Hello\u001b[2J</p>\n');
    expect((await workshop.run(html, { isStdoutTerminal: true })).stdout).toBe('<p>Hello\u{fffd}[2J</p>\n');
    const whole = JSON.parse((await workshop.run(['mail', 'show', mail.identifier, '--json'])).stdout);
    expect(whole).toMatchObject({ kind: 'test', state: 'kept', text: 'Hello\u001b[2J\nyou\n' });
    expect((await workshop.run(['mail', 'show', 'nothing'])).code).toBe(1);
  });

  it('sends failed emails again, some or all', async () => {
    const database = join(workshop.folder, 'data/taxiway.db');
    const rows = (sql: string) => {
      const client = new Sqlite(database);
      try {
        const statement = client.prepare(sql);
        return statement.reader ? statement.all() : [statement.run()];
      } finally {
        client.close();
      }
    };
    rows("UPDATE outbox_mails SET state = 'failed', attempts = 18, last_error = '452 full', next_attempt_at = 1");
    const [second, first] = JSON.parse((await workshop.run(['mail', 'list', '--json'])).stdout);
    const unsent = await workshop.run(['mail', 'retry', '--all']);
    expect(unsent).toMatchObject({ code: 1, stderr: expect.stringContaining('the server sends no email') });
    const config = '[mail]\ntransport = "smtp"\nfrom = "t@example.com"\n[mail.smtp]\nhost = "localhost"\n';
    writeFileSync(join(workshop.folder, 'config.toml'), config);
    expect((await workshop.run(['mail', 'retry'])).code).toBe(2);
    expect((await workshop.run(['mail', 'retry', first.identifier, '--all'])).code).toBe(2);
    const one = await workshop.run(['mail', 'retry', first.identifier.toUpperCase(), 'unknown']);
    expect(one).toMatchObject({
      code: 1,
      stdout: '1 email queued\n',
      stderr: expect.stringContaining('there is no failed email with the ID unknown'),
    });
    expect(await workshop.run(['mail', 'retry', '--all', '--json'])).toMatchObject({
      code: 0,
      stdout: '{\n  "queued": 1\n}\n',
    });
    expect(rows('SELECT state, attempts, last_error, next_attempt_at > 1 AS moved FROM outbox_mails')).toEqual(
      Array(2).fill({ state: 'pending', attempts: 0, last_error: null, moved: 1 }),
    );
    expect(rows("SELECT kind, payload ->> 'mail_id' AS mail, max_attempts AS attempts FROM jobs ORDER BY id")).toEqual([
      { kind: 'send-mail', mail: first.identifier, attempts: 18 },
      { kind: 'send-bulk-mail', mail: second.identifier, attempts: 18 },
    ]);
  });
});

describe('organization list', () => {
  it('shows the members and projects of each', async () => {
    const { stdout } = await workshop.run(['organization', 'list']);
    expect(stdout).toBe(`${organizationId}  Northwind  business  1 member  0 projects  0 builds\n`);
    expect(JSON.parse((await workshop.run(['organization', 'list', '--json'])).stdout)).toEqual([
      {
        identifier: organizationId,
        name: 'Northwind',
        tier: 'business',
        lock_reason: null,
        members: 1,
        projects: 0,
        builds: 0,
        created_at: expect.any(String),
      },
    ]);
  });
});

describe('sweep', () => {
  it('shows the last run of each job', async () => {
    const find = async (name: string) =>
      (await workshop.run(['sweep'])).stdout.split('\n').find((line) => line.startsWith(`${name} `)) ?? '';
    expect(await find('invitations')).toMatch(/47 \* \* \* \* +never$/);
    await workshop.run(['sweep', 'invitations']);
    expect(await find('invitations')).toMatch(/47 \* \* \* \* +\d{4}-\S+Z +\d+ ms +0 removed$/);
    await workshop.run(['sweep', 'expiry-warnings']);
    expect(await find('expiry-warnings')).toMatch(/ +0 mailed$/);
    const rows: { name: string; last_run: unknown }[] = JSON.parse((await workshop.run(['sweep', '--json'])).stdout);
    expect(rows.find((row) => row.name === 'invitations')?.last_run).toEqual({
      started_at: expect.any(String),
      duration_ms: expect.any(Number),
      removed: 0,
      error: null,
    });
  });
});

describe('too many open files', () => {
  it.each(['EMFILE', 'ENFILE'])('are explained: %s', async (code) => {
    const failure = Object.assign(new Error(`${code}: too many open files, scandir '/'`), { code });
    const work = () => {
      throw failure;
    };
    await expect(explainFailure(loadConfig({ cwd: workshop.folder, env: {} }), work)).rejects.toThrow(
      new Refusal('too many open files: set a higher limit with "ulimit -n", or LimitNOFILE of systemd'),
    );
  });
});

describe('every command', () => {
  it.each(CATALOG.map(({ name }) => [name]))('%s has help with an example', async (name) => {
    const { code, stdout } = await workshop.run([name, '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`Examples?:\\n(?:.*\\n)*.*taxiway ${name}`));
  });
});

describe('a list without rows', () => {
  it('of emails says so, and stays empty for programs', async () => {
    const words = ['mail', 'list', '--state', 'sent'];
    expect(await workshop.run(words)).toMatchObject({ code: 0, stdout: '', stderr: 'No matching emails.\n' });
    expect(JSON.parse((await workshop.run([...words, '--json'])).stdout)).toEqual([]);
  });

  it.each([
    [['organization', 'list'], 'No organizations.\n'],
    [['developer', 'list'], 'No accounts.\n'],
  ])('of %j says so in a new database', async (words, expected) => {
    rmSync(join(workshop.folder, 'data'), { recursive: true, force: true });
    expect((await workshop.run(['migrate'])).code).toBe(0);
    expect(await workshop.run(words)).toMatchObject({ code: 0, stdout: '', stderr: expected });
  });
});
