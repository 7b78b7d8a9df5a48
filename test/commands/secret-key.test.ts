// taxiway secret-key rotate: the values of all encrypted columns, what is signed, interruptions and refusals.
import { copyFileSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { getTableName, is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { describe, expect, it } from 'vitest';
import { readChainHeads } from '../../src/audit/chain-heads.ts';
import { verifyAuditTrail } from '../../src/audit/verify.ts';
import { sealCheckpoint } from '../../src/core/audit-chain.ts';
import * as tables from '../../src/data/tables/tables.ts';
import { acquireLocks } from '../../src/runtime/lock.ts';
import type { SealedColumn } from '../../src/runtime/sealed-columns.ts';
import { createSecrets, loadMasterKey, type Secrets } from '../../src/runtime/secrets.ts';
import { signFields } from '../../src/runtime/signing.ts';
import { canOpenSealedKeys } from '../../src/runtime/signing-keys.ts';
import { sealedColumns } from '../../src/sealed-columns.ts';
import { openInstalled, type Workshop } from './test-host.ts';

const OWNER = '0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b';
const nameOf = ({ column }: Pick<SealedColumn, 'column'>) => `${getTableName(column.table)}.${column.name}`;
const purposeOf = (sealed: SealedColumn) => (sealed.owner === undefined ? sealed.purpose : sealed.purpose(OWNER));

interface Files {
  database: string;
  key: string;
  next: string;
  previous: string;
  heads: string;
}

function filesOf({ folder }: Workshop): Files {
  const key = join(folder, 'data', 'secret.key');
  const database = join(folder, 'data', 'taxiway.db');
  return { database, key, next: `${key}.next`, previous: `${key}.previous`, heads: `${database}.audit-heads` };
}

const secretsIn = (key: string): Secrets => createSecrets(loadMasterKey('', key));

function using<T>(database: string, work: (client: Sqlite.Database) => T): T {
  const client = new Sqlite(database);
  try {
    return work(client);
  } finally {
    client.close();
  }
}

/** Adds a row with a value for each column that is encrypted, a checkpoint, and its head beside the database. */
function fill({ database, heads: file }: Files, secrets: Secrets): void {
  const hash = 'ab'.repeat(32);
  const heads = [`trimmed:7:${hash}`];
  const seal = signFields(secrets.keyring, 'audit-noted-heads', ['now', ...heads]);
  writeFileSync(file, `${JSON.stringify({ at: 'now', heads, seal })}\n`);
  using(database, (client) => {
    client.pragma('foreign_keys = OFF');
    client.pragma('ignore_check_constraints = ON');
    for (const table of new Set(sealedColumns.map(({ column }) => column.table))) {
      const sealed = new Map(
        sealedColumns
          .filter(({ column }) => column.table === table)
          .map((one): [string, string] => [one.column.name, secrets.encrypt(`plain ${nameOf(one)}`, purposeOf(one))]),
      );
      const owners = new Set(sealedColumns.map(({ owner }) => owner).filter((owner) => owner?.table === table));
      const row = getTableConfig(table as SQLiteTable).columns.flatMap(
        (column): [string, string | number | undefined][] => {
          if (sealed.has(column.name)) return [[column.name, sealed.get(column.name)]];
          if (owners.has(column)) return [[column.name, OWNER]];
          if (!column.notNull || column.hasDefault) return [];
          return [[column.name, column.getSQLType() === 'integer' ? 1 : 'x']];
        },
      );
      const values = row.map(([, value]) => value);
      const names = row.map(([name]) => name).join(', ');
      client
        .prepare(`INSERT INTO ${getTableName(table)} (${names}) VALUES (${values.map(() => '?').join(', ')})`)
        .run(values);
    }
    const point = { chain: 'trimmed', sequence: 7, hash, trimmedAt: 1 };
    client
      .prepare('INSERT INTO audit_checkpoints VALUES (@chain, @sequence, @hash, @trimmedAt, @seal)')
      .run({ ...point, seal: sealCheckpoint(secrets.keyring, point) });
  });
}

/** Returns what the encrypted columns contain for a key. Throws if it can't decrypt a value. */
function read(database: string, secrets: Secrets): Record<string, string> {
  return using(database, (client) =>
    Object.fromEntries(
      sealedColumns.map((sealed) => {
        const { column, owner } = sealed;
        const where = owner === undefined ? '' : ` AND ${owner.name} = '${OWNER}'`;
        const sql = `SELECT ${column.name} FROM ${getTableName(column.table)} WHERE ${column.name} IS NOT NULL${where}`;
        const value = client.prepare<[], string>(`${sql} ORDER BY rowid DESC`).pluck().get() ?? '';
        return [nameOf(sealed), secrets.decrypt(value, purposeOf(sealed))];
      }),
    ),
  );
}

const EXPECTED = Object.fromEntries(sealedColumns.map((sealed) => [nameOf(sealed), `plain ${nameOf(sealed)}`]));

async function install(config = '') {
  const { workshop } = await openInstalled(config);
  const files = filesOf(workshop);
  return { workshop, files, [Symbol.dispose]: () => workshop[Symbol.dispose]() };
}

function expectRotated(files: Files, secrets: Secrets): void {
  expect(read(files.database, secrets)).toEqual(EXPECTED);
  using(files.database, (client) => {
    expect(canOpenSealedKeys(client, secrets)).toBe(true);
    const noted = readChainHeads(files.database, secrets.keyring);
    expect(noted?.foreignLines).toEqual([]);
    expect(verifyAuditTrail(client, secrets.keyring, [], noted).problems).toEqual([]);
  });
}

describe('secret-key rotate', () => {
  it('knows every column whose name says that it is encrypted', () => {
    const columns = Object.values(tables)
      .filter((table) => is(table, SQLiteTable))
      .flatMap((table) => getTableConfig(table).columns)
      .filter(({ name }) => /encrypted|sealed/.test(name))
      .map((column) => nameOf({ column }));
    expect([...sealedColumns.map(nameOf), 'signing_keys.private_key_encrypted'].sort()).toEqual(columns.sort());
  });

  it('encrypts and signs everything with a new key, and keeps the previous one', async () => {
    using installed = await install();
    const { workshop, files } = installed;
    const before = secretsIn(files.key);
    const previous = readFileSync(files.key, 'utf8');
    fill(files, before);
    const signedBy = () =>
      using(files.database, (client) => client.prepare('SELECT id FROM signing_keys').pluck().all());
    const signers = signedBy();
    const count = sealedColumns.length;
    const { code, stdout, stderr } = await workshop.run(['secret-key', 'rotate']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `secret key rotated: ${count} values encrypted with the new one\n`,
    });
    expect(stderr).toBe(
      `The previous key is ${files.previous}. Replicas and backups from before need the previous key. ` +
        'Create a backup, and copy the new key.\n',
    );
    expect(readFileSync(files.previous, 'utf8')).toBe(previous);
    expect(readFileSync(files.key, 'utf8')).not.toBe(previous);
    expect([files.key, files.previous].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
    expect(existsSync(files.next)).toBe(false);
    expectRotated(files, secretsIn(files.key));
    expect(() => read(files.database, before)).toThrow('encrypted with another key');
    expect(signedBy()).toHaveLength(1);
    expect(signers).not.toContain(signedBy()[0]);
    const last =
      'SELECT event, type, actor_kind AS actor, identifier, details FROM audit_events ORDER BY id DESC LIMIT 1';
    const { details, ...event } = using(files.database, (client) =>
      client.prepare<[], { details: string }>(last).get(),
    ) ?? {
      details: '',
    };
    expect({ ...event, details: JSON.parse(details) }).toEqual({
      event: 'secret_key_rotated',
      type: 'server',
      actor: 'system',
      identifier: secretsIn(files.key).keyring.current.id,
      details: { values: count, damaged: 0 },
    });
    expect((await workshop.run(['verify'])).code).toBe(0);
  });

  it('leaves values as they are that no key decrypts, and seals that were forged', async () => {
    using installed = await install();
    const { workshop, files } = installed;
    fill(files, secretsIn(files.key));
    writeFileSync(files.heads, `${JSON.stringify({ at: '', heads: [], seal: 'abcdef01.AAAA' })}\n`, { flag: 'a' });
    using(files.database, (client) => {
      client.prepare("UPDATE webhook_subscriptions SET sealed_url = 'v1.damaged'").run();
      client.prepare("INSERT INTO audit_checkpoints VALUES ('forged', 3, 'ab', 1, 'abcdef01.AAAA')").run();
    });
    const { code, stdout, stderr } = await workshop.run(['secret-key', 'rotate', '--json']);
    expect({ code, result: JSON.parse(stdout) }).toEqual({
      code: 0,
      result: { values: sealedColumns.length - 1, damaged: 1 },
    });
    expect(stderr).toContain("1 value can't be decrypted, as before, and must be entered again\n");
    const secrets = secretsIn(files.key);
    const noted = readChainHeads(files.database, secrets.keyring);
    expect(noted?.foreignLines).toHaveLength(1);
    const chains = using(files.database, (client) =>
      verifyAuditTrail(client, secrets.keyring, [], noted).problems.map(({ chain }) => chain),
    );
    expect(chains).toEqual(['forged', 'noted-heads']);
  });

  it('is completed if it was interrupted before or after the commit, and nothing else uses either key until then', async () => {
    using installed = await install();
    const { workshop, files } = installed;
    const before = secretsIn(files.key);
    const refusal = `the rotation of ${files.key} was interrupted: run "taxiway secret-key rotate" to complete it`;
    fill(files, before);
    // Killed before the commit.
    writeFileSync(files.next, `${Buffer.alloc(32, 9).toString('base64')}\n`, { mode: 0o600 });
    for (const words of [['setup-link'], ['verify'], ['backup', join(workshop.folder, 'backups')]]) {
      const refused = await workshop.run(words);
      expect({ code: refused.code, stderr: refused.stderr }).toEqual({ code: 1, stderr: `taxiway: ${refusal}\n` });
    }
    expect(JSON.parse((await workshop.run(['check', '--json'])).stdout)).toContainEqual(
      expect.objectContaining({ name: 'secret key', status: 'fail', detail: refusal }),
    );
    expect(read(files.database, before)).toEqual(EXPECTED);
    const heads = readFileSync(files.heads);
    expect((await workshop.run(['secret-key', 'rotate'])).code).toBe(0);
    expect(readFileSync(files.key, 'utf8')).toBe(`${Buffer.alloc(32, 9).toString('base64')}\n`);
    expectRotated(files, secretsIn(files.key));
    // Killed after the commit.
    renameSync(files.key, files.next);
    copyFileSync(files.previous, files.key);
    writeFileSync(files.heads, heads);
    expect((await workshop.run(['setup-link'])).stderr).toBe(`taxiway: ${refusal}\n`);
    const { code, stdout } = await workshop.run(['secret-key', 'rotate', '--json']);
    expect({ code, result: JSON.parse(stdout) }).toEqual({ code: 0, result: { values: 0, damaged: 0 } });
    expectRotated(files, secretsIn(files.key));
    expect(existsSync(files.next)).toBe(false);
  });

  it('takes the new key from the configuration and the previous one from a file', async () => {
    const keys = ['first-'.repeat(8), 'second-'.repeat(8)] as const;
    using installed = await install(`[server]\nsecret_key = "${keys[0]}"\n`);
    const { workshop, files } = installed;
    const [before, after] = keys.map((key) => createSecrets(loadMasterKey(key, ''))) as [Secrets, Secrets];
    fill(files, before);
    const previous = join(workshop.folder, 'previous');
    const rotate = async (...words: string[]) => {
      const { code, stderr } = await workshop.run(['secret-key', 'rotate', ...words]);
      return { code, stderr };
    };
    writeFileSync(previous, `${keys[0]}\n`);
    expect(await rotate('--previous', previous)).toEqual({
      code: 1,
      stderr: `taxiway: server.secret_key is still the key in ${previous}: set it to a new one\n`,
    });
    writeFileSync(join(workshop.folder, 'config.toml'), `[server]\nsecret_key = "${keys[1]}"\n`);
    expect((await rotate()).code).toBe(2);
    writeFileSync(previous, 'third-'.repeat(8));
    expect(await rotate('--previous', previous)).toEqual({
      code: 1,
      stderr: `taxiway: ${files.database} was encrypted with another key than these two\n`,
    });
    expect(read(files.database, before)).toEqual(EXPECTED);
    writeFileSync(previous, `${keys[0]}\n`);
    for (let run = 0; run < 2; run += 1) {
      expect(await rotate('--previous', previous)).toEqual({
        code: 0,
        stderr: 'Replicas and backups from before need the previous key. Create a backup, and copy the new key.\n',
      });
      expectRotated(files, after);
    }
    expect(existsSync(files.key)).toBe(false);
  });

  it('refuses a running server, a running backup, and --previous with a file of the key', async () => {
    using installed = await install();
    const { workshop, files } = installed;
    const rotate = async (...words: string[]) => {
      const { code, stderr } = await workshop.run(['secret-key', 'rotate', ...words]);
      return { code, stderr };
    };
    for (const lockFile of [`${files.database}.lock`, join(workshop.folder, 'data', 'backup.lock')]) {
      const release = acquireLocks([{ lockFile, name: '' }]);
      expect((await rotate()).code).toBe(1);
      release();
    }
    expect(await rotate('--previous', files.key)).toEqual({
      code: 2,
      stderr: expect.stringContaining(`--previous is for server.secret_key; this server has ${files.key}`),
    });
    expect(existsSync(files.next)).toBe(false);
    expect(existsSync(files.previous)).toBe(false);
  });
});
