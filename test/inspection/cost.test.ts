// Inspection reads the same bytes of a package of 500 MiB as of one of 5 MiB.
import { expect, it } from 'vitest';
import { openArchive } from '../../src/inspection/archive.ts';
import { inspectPackage } from '../../src/inspection/inspect.ts';
import { BlockReader, type ByteSource } from '../../src/inspection/source.ts';
import { bufferSource, buildApk, buildIpa, type CountingSource } from '../support/fixtures.ts';

const mebibyte = 1024 * 1024;

/** The package, whose last entry is `padding`, as if that had so many bytes, which only exist as a number. */
function padPackage(bytes: Buffer, padding: number): CountingSource {
  const end = bytes.length - 22;
  const directory = bytes.readUInt32LE(end + 16);
  const tail = Buffer.from(bytes.subarray(directory));
  tail.writeUInt32LE(directory + padding, tail.length - 22 + 16);
  const record = tail.lastIndexOf(Buffer.from('504b0102', 'hex'));
  tail.writeUInt32LE(padding, record + 20);
  tail.writeUInt32LE(padding, record + 24);
  const head = Buffer.from(bytes.subarray(0, directory));
  head.writeUInt32LE(padding, tail.readUInt32LE(record + 42) + 18);
  head.writeUInt32LE(padding, tail.readUInt32LE(record + 42) + 22);
  const counted = { reads: 0, bytes: 0 };
  const readByte = (offset: number): number => {
    if (offset < directory) return head[offset] ?? 0;
    return offset < directory + padding ? 0 : (tail[offset - directory - padding] ?? 0);
  };
  const read: ByteSource['read'] = (offset, length) => {
    counted.reads += 1;
    counted.bytes += length;
    const result = Buffer.alloc(length);
    for (let index = 0; index < length; index += 1) result[index] = readByte(offset + index);
    return Promise.resolve(result);
  };
  return { size: bytes.length + padding, counted, read };
}

const lastPart = { name: 'padding', data: Buffer.alloc(0), isStored: true };

it.each([
  ['ios', buildIpa({ parts: [lastPart] })],
  ['android', buildApk({ signers: [], parts: [lastPart] })],
] as const)('costs the same for an %s package of 5 and of 500 MiB', async (platform, bytes) => {
  const sizes = [5, 50, 500].map((size) => padPackage(bytes, size * mebibyte - bytes.length));
  const outcomes = [];
  for (const source of sizes) outcomes.push(await inspectPackage(source, platform));
  expect(outcomes.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
  const [small, , large] = sizes.map(({ counted }) => counted);
  expect(large).toEqual(small);
  expect(large?.bytes).toBeLessThan(mebibyte);
  expect(large?.reads).toBeLessThan(8);
});

it('reads every byte only in packages up to 4 MiB', async () => {
  const random = { name: 'assets/data', data: Buffer.alloc(3 * mebibyte, 1), isStored: true };
  const small = bufferSource(buildApk({ parts: [random] }));
  const large = bufferSource(buildApk({ parts: [random, { ...random, name: 'assets/more' }] }));
  const checked = [];
  for (const source of [small, large]) {
    const outcome = await inspectPackage(source, 'android');
    const signing = outcome.status === 'ok' ? outcome.inspection.signing : null;
    checked.push(signing?.platform === 'android' && [signing.verified, signing.contents_checked]);
  }
  expect(checked).toEqual([
    [true, true],
    [true, false],
  ]);
  expect(large.counted.bytes).toBeLessThan(mebibyte);
});

it('rejects an archive that takes more than its budget of bytes', async () => {
  const reader = new BlockReader(bufferSource(Buffer.alloc(4 * mebibyte)), 2 * mebibyte);
  await reader.read(0, mebibyte);
  await expect(reader.read(mebibyte, 2 * mebibyte)).rejects.toThrow('too many bytes');
});

it('merges neighboring blocks into one read and caches them', async () => {
  const source = bufferSource(Buffer.alloc(8 * mebibyte, 7));
  const reader = new BlockReader(source);
  const bytes = await reader.read(100, 6 * mebibyte);
  expect([bytes.length, bytes.every((byte) => byte === 7), source.counted.reads]).toEqual([6 * mebibyte, true, 2]);
  await reader.read(6 * mebibyte - 10, 5);
  expect(source.counted.reads).toBe(2);
});

it('reads blocks for close local headers, and a few bytes for distant ones', async () => {
  const part = (name: string, size: number) => ({ name, data: Buffer.alloc(size), isStored: true });
  const close = Array.from({ length: 500 }, (_, index) => part(`Payload/Sample.app/close/${index}`, 10));
  const far = Array.from({ length: 20 }, (_, index) => part(`Payload/Sample.app/far/${index}`, mebibyte));
  const source = bufferSource(buildIpa({ parts: [...close, ...far] }));
  expect((await inspectPackage(source, 'ios')).status).toBe('ok');
  expect(source.counted.reads).toBeLessThan(30);
  expect(source.counted.bytes).toBeLessThan(mebibyte);
});

it('uses little of its budget for any number of local headers', async () => {
  const parts = Array.from({ length: 2_000 }, (_, index) => ({
    name: `Payload/Sample.app/${index}`,
    data: Buffer.alloc(25_000),
    isStored: true,
  }));
  const source = bufferSource(buildIpa({ parts }));
  const archive = await openArchive(new BlockReader(source, 8 * mebibyte));
  expect(archive.entries.size).toBe(2_004);
  expect(source.counted.bytes).toBeLessThan(3 * mebibyte);
});
