// A server doesn't start with a lost or damaged database.
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../../src/data/database.ts';
import { checkIntegrity, DatabaseDamagedError } from '../../src/data/integrity.ts';
import { describeLoss } from '../../src/data/missing-database.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createServer } from '../../src/server.ts';
import { createSampleData } from '../../src/testing/sample-data.ts';
import { openWorkshop } from '../commands/test-host.ts';

const PAGE = 4096;
/** The folder of an installation without its database, and the database. */
let original: string;
let intact: Buffer;
/** Where the database is damaged, and where it's read again: new memory for each test would take as long as the checks. */
let damaged: Buffer;
let found: Buffer;
let pages: number;
/** Pages of tables and indexes by what they are, from SQLite's own table of them. */
let rootPages: { name: string; type: string; rootpage: number }[];

beforeAll(async () => {
  original = mkdtempSync(join(tmpdir(), 'taxiway-intact-'));
  const server = await createServer(
    { server: { port: 0, data_dir: original }, log: { level: 'silent' }, rate_limits: { enabled: false } },
    { isScheduleOff: true },
  );
  await server.start();
  await createSampleData(server);
  const { $client: client } = server.app.db;
  // Enough rows for interior and overflow pages.
  client.exec('CREATE TABLE filler (id TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT');
  client.exec('CREATE INDEX filler_text ON filler (text)');
  const insert = client.prepare('INSERT INTO filler VALUES (?, ?)');
  for (let row = 0; row < 2_000; row += 1)
    insert.run(`row ${row}`, `${(row * 7_919) % 2_000} `.repeat(row % 20 === 0 ? 2_000 : 5));
  client.exec("DELETE FROM filler WHERE id LIKE 'row 1%'");
  rootPages = client
    .prepare<[], { name: string; type: string; rootpage: number }>(
      'SELECT name, type, rootpage FROM sqlite_master WHERE rootpage > 0',
    )
    .all();
  await server.stop();
  intact = readFileSync(join(original, 'taxiway.db'));
  damaged = Buffer.alloc(intact.length);
  found = Buffer.alloc(intact.length + 1);
  rmSync(join(original, 'taxiway.db'));
  pages = intact.length / PAGE;
});
afterAll(() => rmSync(original, { recursive: true, force: true }));

/** A copy of the installation, whose database is intact or has these bytes. */
function copyInstallation(bytes = intact): { folder: string; file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-damaged-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(original, folder, { recursive: true });
  const file = join(folder, 'taxiway.db');
  writeFileSync(file, bytes, { mode: 0o600 });
  return { folder, file };
}

/** Returns the bytes of the database with a damage, until the next call. */
function damageIntact(damage: (bytes: Buffer) => unknown): Buffer {
  intact.copy(damaged);
  // A part of the file where the damage is that something is missing.
  const rest = damage(damaged);
  return Buffer.isBuffer(rest) && rest.length < damaged.length ? rest : damaged;
}

/** Whether a file has just these bytes, of which there are no more than the intact database has. */
function isFile(file: string, bytes: Buffer): boolean {
  const descriptor = openSync(file, 'r');
  const length = readSync(descriptor, found);
  closeSync(descriptor);
  return found.subarray(0, length).equals(bytes);
}

/** Starts a server; answers the message of its refusal, or undefined when it starts. */
async function start(folder: string, more: { secret_key?: string } = {}): Promise<string | undefined> {
  try {
    const server = await createServer(
      { server: { port: 0, data_dir: folder, ...more }, log: { level: 'silent' } },
      { isScheduleOff: true },
    );
    await server.stop();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const rootOf = (name: string) => (rootPages.find((row) => row.name === name)?.rootpage ?? 0) - 1;
const fill = (bytes: Buffer, page: number, value: number) => void bytes.fill(value, page * PAGE, (page + 1) * PAGE);
const noise = (bytes: Buffer, page: number) => {
  for (let at = page * PAGE; at < (page + 1) * PAGE; at += 1) bytes[at] = (at * 2_654_435_761) >>> 24;
};
const damageAt =
  (offset: (base: number) => number, change: (bytes: Buffer, at: number) => void) =>
  (page: () => number) =>
  (bytes: Buffer) =>
    change(bytes, offset(page() * PAGE));
const wrongCellCount = damageAt(
  (base) => base + 3,
  (bytes, at) => bytes.writeUInt16BE(0x7fff, at),
);
const wrongCellPointer = damageAt(
  (base) => base + 8,
  (bytes, at) => bytes.writeUInt16BE(0xffff, at),
);
const wrongKind = damageAt(
  (base) => base,
  (bytes, at) => bytes.writeUInt8(0x7b, at),
);
const wrongContentStart = damageAt(
  (base) => base + 5,
  (bytes, at) => bytes.writeUInt16BE(9, at),
);
const wrongFreeBlock = damageAt(
  (base) => base + 1,
  (bytes, at) => bytes.writeUInt16BE(0xfff0, at),
);
const wrongChild = damageAt(
  (base) => base + 8,
  (bytes, at) => bytes.writeUInt32BE(3, at),
);

const tables = ['developers', 'organizations', 'projects', 'filler'];
const damages: [string, (bytes: Buffer) => unknown][] = [
  ['no header', (bytes) => void bytes.fill(0, 0, 16)],
  ['another program’s header', (bytes) => void bytes.write('PK\u0003\u0004 a zip archive')],
  ['a page size of 3', (bytes) => void bytes.writeUInt16BE(3, 16)],
  ['twice its page size', (bytes) => void bytes.writeUInt16BE(8192, 16)],
  ['a free list beyond the end', (bytes) => void bytes.writeUInt32BE(60_000, 32)],
  ['a wrong number of free pages', (bytes) => void bytes.writeUInt32BE(bytes.readUInt32BE(36) + 5, 36)],
  ['a cut half page', (bytes) => bytes.subarray(0, bytes.length - PAGE / 2)],
  ['one page less', (bytes) => bytes.subarray(0, bytes.length - PAGE)],
  ['half of its pages', (bytes) => bytes.subarray(0, PAGE * Math.floor(bytes.length / PAGE / 2))],
  ['one page only', (bytes) => bytes.subarray(0, PAGE)],
  ['100 bytes only', (bytes) => bytes.subarray(0, 100)],
  ['zeros only', (bytes) => void bytes.fill(0)],
  ['zeros after the first page', (bytes) => void bytes.fill(0, PAGE)],
  ['zeros in the second half', (bytes) => void bytes.fill(0, PAGE * Math.floor(bytes.length / PAGE / 2))],
  [
    'noise after the first page',
    (bytes) => void Array.from({ length: pages - 1 }, (_, page) => noise(bytes, page + 1)),
  ],
  [
    'an altered schema',
    (bytes) => {
      for (let at = bytes.indexOf('CREATE TABLE'); at >= 0; at = bytes.indexOf('CREATE TABLE'))
        bytes.write('CREATE TALBE', at);
    },
  ],
  [
    'two pages exchanged',
    (bytes) => {
      const [one, other] = [rootOf('developers') * PAGE, rootOf('projects') * PAGE];
      const kept = Buffer.from(bytes.subarray(one, one + PAGE));
      bytes.copy(bytes, one, other, other + PAGE);
      kept.copy(bytes, other);
    },
  ],
  [
    'a page of another table',
    (bytes) =>
      void bytes.copy(bytes, rootOf('organizations') * PAGE, rootOf('filler') * PAGE, (rootOf('filler') + 1) * PAGE),
  ],
  ['an altered key in an index', (bytes) => void bytes.write('sow 777', bytes.lastIndexOf('row 777'))],
  ['a wrong child of an interior page', wrongChild(() => rootOf('filler'))],
  ...tables.flatMap((name): [string, (bytes: Buffer) => unknown][] => [
    [`zeros in ${name}`, (bytes) => fill(bytes, rootOf(name), 0)],
    [`ones in ${name}`, (bytes) => fill(bytes, rootOf(name), 0xff)],
    [`noise in ${name}`, (bytes) => noise(bytes, rootOf(name))],
    [`a wrong number of cells in ${name}`, wrongCellCount(() => rootOf(name))],
    [`a wrong kind of page in ${name}`, wrongKind(() => rootOf(name))],
    [`a wrong start of content in ${name}`, wrongContentStart(() => rootOf(name))],
    [`a wrong free block in ${name}`, wrongFreeBlock(() => rootOf(name))],
    [`a cell outside of its page in ${name}`, wrongCellPointer(() => rootOf(name))],
  ]),
  ['a missing half of an index', (bytes) => fill(bytes, rootOf('filler_text'), 0)],
];

describe('a damaged database', () => {
  it('is distinguished from an intact one', async () => {
    const { folder } = copyInstallation();
    expect(await start(folder)).toBeUndefined();
  });

  it.each([
    ['an unknown format', 'attempt to write a readonly database (SQLITE_READONLY)', 18],
    ['an unknown schema format', 'unsupported file format (SQLITE_ERROR)', 47],
  ])('with %s is rejected', async (_, reason, at) => {
    const { folder, file } = copyInstallation(damageIntact((bytes) => bytes.writeUInt8(99, at)));
    using workshop = openWorkshop({ TAXIWAY_SERVER__DATA_DIR: folder, TAXIWAY_SERVER__PORT: '0' });
    expect(await workshop.run(['serve'])).toMatchObject({
      code: 1,
      stderr: `taxiway: cannot use the database ${file}: ${reason}\n`,
    });
  });

  it.each(damages)('with %s is rejected, and the file is unchanged', async (_, damage) => {
    const before = damageIntact(damage);
    const { folder, file } = copyInstallation(before);
    const refusal = await start(folder);
    expect(refusal).toBeDefined();
    expect(isFile(file, before)).toBe(true);
    // The operator reads one line that says what to do.
    using workshop = openWorkshop({ TAXIWAY_SERVER__DATA_DIR: folder, TAXIWAY_SERVER__PORT: '0' });
    const { code, stderr } = await workshop.run(['serve']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^taxiway: the database \S+ is damaged \(.+\)\. Nothing was changed\. Restore it from a backup, and check the disk\.\n$/,
      ),
    });
  });
});

describe('a large database', () => {
  /** Damage that is found late, because the check goes through the tables one after another. */
  const damageFiller = (bytes: Buffer) => noise(bytes, rootOf('filler'));
  function open(file: string) {
    const { $client } = openDatabase({ file, synchronous: 'full', busyTimeoutMs: 1_000 });
    onTestFinished(() => void $client.close());
    return $client;
  }
  const log = () => ({ error: vi.fn(), info: vi.fn(), warn: vi.fn() });
  const parts = { clock: systemClock, nativeBinding: undefined, smallBytes: 0, isServing: true };

  it('is checked by another process, and rejected for damage that is found in time', { timeout: 60_000 }, async () => {
    const { file } = copyInstallation(damageIntact(damageFiller));
    const checking = checkIntegrity({ ...parts, client: open(file), log: log(), budgetMs: 30_000 });
    await expect(checking).rejects.toThrow(DatabaseDamagedError);
    await expect(checking).rejects.toThrow(`the database ${file} is damaged (`);
  });

  it('is served after a second, and later damage is logged and reported', { timeout: 60_000 }, async () => {
    const { file } = copyInstallation(damageIntact(damageFiller));
    const lines = log();
    const integrity = await checkIntegrity({ ...parts, client: open(file), log: lines, budgetMs: 0 });
    expect(integrity.state()).toEqual({ status: 'checking', problems: [], checkedAt: null });
    await integrity.settled;
    const { status, problems } = integrity.state();
    expect([status, problems.length > 0]).toEqual(['damaged', true]);
    expect(lines.error).toHaveBeenCalledExactlyOnceWith({ problems }, 'database damaged');
  });

  it('that is intact is reported as such', { timeout: 60_000 }, async () => {
    const { file } = copyInstallation();
    const lines = log();
    const integrity = await checkIntegrity({ ...parts, client: open(file), log: lines, budgetMs: 30_000 });
    expect(integrity.state()).toEqual({ status: 'intact', problems: [], checkedAt: expect.any(Number) });
    expect(lines.error).not.toHaveBeenCalled();
  });

  it('does not delay a stop of the server', { timeout: 60_000 }, async () => {
    const { file } = copyInstallation();
    const integrity = await checkIntegrity({ ...parts, client: open(file), log: log(), budgetMs: 0 });
    integrity.stop();
    await integrity.settled;
    expect(integrity.state()).toEqual({ status: 'unknown', problems: [], checkedAt: null });
  });

  it('is not checked by operator commands', async () => {
    const { file } = copyInstallation();
    const integrity = await checkIntegrity({ ...parts, client: open(file), log: log(), isServing: false });
    expect(integrity.state().status).toBe('unknown');
  });
});

describe('a lost database', () => {
  const secret = 's'.repeat(32);
  const rest =
    'Restore the database from a backup, or mount the disk that it is on. To start with an empty server, move these away first.';

  it.each([
    ['missing', (file: string) => rmSync(file)],
    ['empty', (file: string) => truncateSync(file)],
  ])('that is %s next to its secret key is rejected, by the server and by commands', async (kind, lose) => {
    const { folder, file } = copyInstallation();
    lose(file);
    const refusal = `the database ${file} is ${kind}, but ${join(folder, 'secret.key')} belong to one. ${rest}`;
    expect(await start(folder)).toBe(refusal);
    using workshop = openWorkshop({ TAXIWAY_SERVER__DATA_DIR: folder, TAXIWAY_SERVER__PORT: '0' });
    for (const words of [['serve'], ['migrate'], ['developer', 'list']]) {
      expect(await workshop.run(words)).toMatchObject({ code: 1, stdout: '', stderr: `taxiway: ${refusal}\n` });
    }
    const { stdout } = await workshop.run(['check', '--json']);
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ name: 'database', status: 'fail', detail: refusal }),
    );
    // No setup link was printed, and nothing was created.
    expect(existsSync(file) ? readFileSync(file).length : 0).toBe(0);
  });

  it('whose place has a folder is named as such by every command', async () => {
    const { folder } = copyInstallation();
    const database = { TAXIWAY_DATABASE__FILE: join(folder, 'blobs') };
    mkdirSync(database.TAXIWAY_DATABASE__FILE, { recursive: true });
    using workshop = openWorkshop({ TAXIWAY_SERVER__DATA_DIR: folder, TAXIWAY_SERVER__PORT: '0', ...database });
    const refusal = `the database ${database.TAXIWAY_DATABASE__FILE} is a folder: set database.file to a file`;
    for (const words of [
      ['serve'],
      ['migrate'],
      ['migrate', '--status'],
      ['developer', 'list'],
      ['sweep'],
      ['verify'],
    ]) {
      expect(await workshop.run(words), words.join(' ')).toMatchObject({ code: 1, stderr: `taxiway: ${refusal}\n` });
    }
    const { stdout } = await workshop.run(['check', '--json']);
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ name: 'database', status: 'fail', detail: refusal }),
    );
  });

  it('next to packages is detected if the key is in the configuration', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'taxiway-lost-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, 'blobs/objects/builds/one'), { recursive: true });
    expect(await start(folder, { secret_key: secret })).toBeUndefined();
    rmSync(join(folder, 'taxiway.db'));
    writeFileSync(join(folder, 'blobs/objects/builds/one/two'), 'bytes');
    expect(await start(folder, { secret_key: secret })).toBe(
      `the database ${join(folder, 'taxiway.db')} is missing, but the packages in ${join(folder, 'blobs')} belong to one. ${rest}`,
    );
  });

  it('is detected by its log and by saved copies', () => {
    const folder = mkdtempSync(join(tmpdir(), 'taxiway-lost-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const database = join(folder, 'taxiway.db');
    const paths = { database, secretKey: join(folder, 'secret.key'), storage: join(folder, 'blobs') };
    expect(describeLoss(paths)).toBeUndefined();
    writeFileSync(`${database}-wal`, '');
    writeFileSync(database, '');
    expect(describeLoss(paths)).toBeUndefined();
    writeFileSync(`${database}-wal`, 'frames');
    expect(describeLoss(paths)).toContain(`is empty, but ${database}-wal belong`);
    rmSync(`${database}-wal`);
    writeFileSync(`${database}.before-0001_next`, '');
    expect(describeLoss(paths)).toContain(`${database}.before-0001_next`);
    writeFileSync(database, 'content');
    expect(describeLoss(paths)).toBeUndefined();
  });
});
