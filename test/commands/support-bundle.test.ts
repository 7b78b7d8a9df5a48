// taxiway support-bundle: the facts for a bug report, without secrets.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeConfig, listLeaves } from '../../src/config/shape.ts';
import { withoutSecrets } from '../../src/config/shareable.ts';
import { configFrom } from '../../src/config.ts';
import { mountDisk } from '../support/memory-disk.ts';
import { openWorkshop, type Workshop } from './test-host.ts';

let workshop: Workshop;
beforeEach(() => {
  workshop = openWorkshop();
});
afterEach(() => workshop[Symbol.dispose]());

const inside = (...path: string[]) => join(workshop.folder, ...path);
const readBundle = (name = 'taxiway-support.json') => JSON.parse(readFileSync(inside(name), 'utf8'));

describe('the configuration in a bug report', () => {
  it('has every key, and no secret', () => {
    const config = structuredClone(configFrom({}));
    const secrets: string[] = [];
    for (const { path, leaf } of listLeaves(describeConfig())) {
      if (!leaf.isSecret) continue;
      const table = path
        .slice(0, -1)
        .reduce((node: Record<string, unknown>, key) => node[key] as never, config as never);
      table[path.at(-1) ?? ''] = `secret of ${path.join('.')}`;
      secrets.push(path.join('.'));
    }
    expect(secrets).toContain('server.secret_key');
    expect(secrets).toContain('billing.paddle.api_key');
    const text = JSON.stringify(withoutSecrets(config));
    expect(text).not.toContain('secret of');
    expect(text.split('(set)').length - 1).toBe(secrets.length);
    const shown = [...listLeaves(describeConfig())].map(({ path }) => path.at(-1) ?? '');
    expect(shown.filter((key) => !text.includes(`"${key}"`))).toEqual([]);
  });

  it('shows which secrets are empty, and no user information or email addresses', () => {
    const config = configFrom({
      mail: { from: 'Builds <mary@example.com>' },
      webhooks: { allow_ports: [8443] },
      storage: { s3: { endpoint: 'https://key:word@s3.example.com/' } },
      tracing: { endpoint: 'https://traces.example.com/ingest?api-key=abc' },
      updates: { url: 'https://git.example.com/glpat-Abcdefghijklmnopqrstuvwxyz0123/latest' },
    });
    expect(withoutSecrets(config)).toMatchObject({
      mail: { from: 'Builds <(removed)>', smtp: { password: '' } },
      webhooks: { allow_ports: [8443] },
      storage: { s3: { endpoint: 'https://s3.example.com/' } },
      tracing: { endpoint: 'https://traces.example.com/ingest?(removed)' },
      updates: { url: 'https://git.example.(removed)' },
    });
  });
});

describe('support-bundle', () => {
  it('writes version, system, findings, tables and failed jobs into a file for its owner', async () => {
    await workshop.run(['init']);
    await workshop.run(['migrate']);
    const client = new Sqlite(inside('data/taxiway.db'));
    client.exec(`INSERT INTO jobs (id, kind, payload, run_at, attempts, max_attempts, state, created_at, last_error)
      VALUES ('j1', 'send-mail', '{"to":"mary@example.com"}', 0, 10, 10, 'dead', 0, 'rejected mary@example.com')`);
    client.close();
    const { code, stdout, stderr } = await workshop.run(['support-bundle']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${inside('taxiway-support.json')}\n` });
    expect(stderr).toBe('Read it before you share it: it contains the address of the server, paths and ids.\n');
    expect(statSync(inside('taxiway-support.json')).mode & 0o777).toBe(0o600);
    const bundle = readBundle();
    expect(Object.keys(bundle)).toEqual([
      ...['created_at', 'taxiway', 'system', 'configuration', 'findings', 'database', 'log'],
    ]);
    expect(bundle.configuration.server.secret_key).toBe('(set)');
    expect(bundle.findings).toContainEqual({ name: 'secret key', status: 'ok', detail: 'configured' });
    expect(bundle.database).toMatchObject({
      journal_mode: 'wal',
      migrations: { waiting: [], unknown: [] },
      tables: { developers: 0, jobs: 1 },
      failed_jobs: [{ kind: 'send-mail', state: 'dead', attempts: 10, last_error: 'rejected (removed)', jobs: 1 }],
    });
    expect(bundle.database.schema.join('\n')).toContain('CREATE TABLE `developers`');
    expect(bundle.log).toBeNull();
    const config = readFileSync(inside('config.toml'), 'utf8');
    const secrets = [...config.matchAll(/^(?:secret_key|token) = "(.+)"$/gm)].map(([, secret]) => secret as string);
    expect(secrets).toHaveLength(2);
    for (const secret of secrets) expect(JSON.stringify(bundle)).not.toContain(secret);
  });

  it('includes the last lines of the log, from a file or the standard input', async () => {
    const lines = Array.from({ length: 1_200 }, (_, index) => `line ${index} from 192.0.2.7`);
    writeFileSync(inside('server.log'), `${lines.join('\n')}\n`);
    expect((await workshop.run(['support-bundle', 'a.json', '--log', 'server.log'])).code).toBe(0);
    const { log } = readBundle('a.json');
    expect(log).toHaveLength(1_000);
    expect(log.at(-1)).toBe('line 1199 from (removed)');
    const stdin = Readable.from(['first\n', 'sec', 'ond\n']);
    expect((await workshop.run(['support-bundle', 'b.json', '--log', '-'], { stdin })).code).toBe(0);
    expect(readBundle('b.json').log).toEqual(['first', 'second']);
  });

  it('writes to the standard output', async () => {
    const { code, stdout, stderr } = await workshop.run(['support-bundle', '-']);
    expect([code, Object.keys(JSON.parse(stdout)).at(-1)]).toEqual([0, 'log']);
    expect(stderr).toMatch(/^Read it before you share it/);
    expect(existsSync(inside('-'))).toBe(false);
  });

  it('includes the log of a pipe, such as that of a program in the shell, and characters in two chunks', async () => {
    execFileSync('mkfifo', [inside('pipe')]);
    const [taken] = await Promise.all([
      workshop.run(['support-bundle', 'a.json', '--log', 'pipe']),
      writeFile(inside('pipe'), 'first\nsecond\n'),
    ]);
    expect(taken.code).toBe(0);
    expect(readBundle('a.json').log).toEqual(['first', 'second']);
    const bytes = Buffer.from('für\n');
    const stdin = Readable.from([bytes.subarray(0, 2), bytes.subarray(2)], { objectMode: false });
    expect((await workshop.run(['support-bundle', 'b.json', '--log', '-'], { stdin })).code).toBe(0);
    expect(readBundle('b.json').log).toEqual(['für']);
  });

  it('contains neither the setup link of the log nor its QR code', async () => {
    await workshop.run(['migrate']);
    const { stdout: printed } = await workshop.run(['setup-link']);
    expect(printed).toMatch(/\/setup\/[\w-]{40,}\n\n.*[▀▄█]{3}/s);
    writeFileSync(inside('server.log'), printed);
    expect((await workshop.run(['support-bundle', '--log', 'server.log'])).code).toBe(0);
    const text = readBundle().log.join('\n');
    expect(text).toContain("This server isn't set up yet.");
    expect(text).not.toMatch(/setup\/[\w-]|[▀▄█]/);
  });

  it('describes a database that cannot be read, and an invalid configuration', async () => {
    await workshop.run(['migrate']);
    writeFileSync(inside('data/taxiway.db'), 'x'.repeat(10_000));
    expect((await workshop.run(['support-bundle'])).code).toBe(0);
    expect(readBundle().database).toEqual({ problem: 'file is not a database' });
    writeFileSync(inside('config.toml'), 'nonsense = 1\n');
    expect((await workshop.run(['support-bundle', 'other.json'])).code).toBe(1);
  });

  it('leaves no file on a full disk, so that it can be repeated', async ({ skip }) => {
    const mounted = mountDisk(64, inside('full'));
    if (typeof mounted === 'string') return skip(mounted);
    using disk = mounted;
    disk.fill();
    const { code, stderr } = await workshop.run(['support-bundle', 'full/a.json']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `taxiway: cannot write ${inside('full/a.json')}: ENOSPC: no space left on device, write\n`,
    });
    disk.makeRoom();
    expect((await workshop.run(['support-bundle', 'full/a.json'])).code).toBe(0);
  });

  it('overwrites nothing, and names a log that is missing', async () => {
    writeFileSync(inside('taxiway-support.json'), 'mine');
    const taken = await workshop.run(['support-bundle']);
    expect(taken.code).toBe(1);
    expect(taken.stderr).toMatch(/^taxiway: \S+ already exists and was not changed; name another file$/m);
    expect(readFileSync(inside('taxiway-support.json'), 'utf8')).toBe('mine');
    const missing = await workshop.run(['support-bundle', 'x.json', '--log', 'none.log']);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('taxiway: cannot read the log: ENOENT');
    const folder = await workshop.run(['support-bundle', 'x.json', '--log', '.']);
    expect(folder).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^taxiway: cannot read the log: EISDIR.*\n$/),
    });
  });
});
