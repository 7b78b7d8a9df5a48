// How many reads of its storage the inspection of a package with many files takes.
import { expect, it } from 'vitest';
import type { ObjectHeadAndTail, Storage } from '../../src/core/storage.ts';
import { inspectPackage } from '../../src/inspection/inspect.ts';
import { PlannedReads } from '../../src/inspection/read-plan.ts';
import { createPackageSource, TAIL_BYTES } from '../../src/uploads/package-source.ts';
import { buildIpa } from '../support/fixtures.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** The data descriptor of an entry, as Apple's tools write it. */
const descriptor = ({ crc, compressedSize, size }: { crc: number; compressedSize: number; size: number }): Buffer => {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(0x08074b50, 0);
  bytes.writeUInt32LE(crc, 4);
  bytes.writeUInt32LE(compressedSize, 8);
  bytes.writeUInt32LE(size, 12);
  return bytes;
};

function buildWithFiles(sizes: readonly number[], hasDescriptors: boolean): Buffer {
  const more = hasDescriptors ? { stated: { flags: 0x0808 }, after: descriptor } : {};
  const zeros = Buffer.alloc(Math.max(...sizes));
  return buildIpa({
    parts: sizes.map((size, index) => ({
      name: `Payload/Sample.app/Files.bundle/${index}`,
      data: zeros.subarray(0, size),
      isStored: true,
      ...more,
    })),
  });
}

/** Inspects a package as if it were in a bucket, whose end arrived with its metadata. */
async function countReads(bytes: Buffer): Promise<{ reads: number; mebibytes: number }> {
  const counted = { reads: 0, bytes: 0 };
  const head: ObjectHeadAndTail = {
    size: bytes.length,
    etag: '"1"',
    modifiedAt: new Date(0),
    tail: bytes.subarray(-TAIL_BYTES),
  };
  const read: Storage['read'] = async (key, offset, length, options) => {
    // All reads are of the same version.
    expect([key, options]).toEqual(['pending/1', { etag: head.etag }]);
    counted.reads += 1;
    counted.bytes += length;
    return bytes.subarray(offset, offset + length);
  };
  const outcome = await inspectPackage(createPackageSource({ read }, 'pending/1', head), 'ios');
  expect(outcome.status).toBe('ok');
  return { reads: counted.reads, mebibytes: Math.ceil(counted.bytes / MIB) };
}

/** Sizes as in a usual app: most files are small, few have most of the bytes. */
const usual = Array.from({ length: 2_000 }, (_, index) => {
  if (index % 200 === 199) return 6 * MIB;
  return index % 10 === 9 ? 60 * KIB : 2 * KIB;
});

it.each([
  ['without data descriptors', false, { reads: 21, mebibytes: 15 }],
  ['with data descriptors', true, { reads: 21, mebibytes: 15 }],
])('a usual app with 2,000 files takes few reads, %s', async (_name, hasDescriptors, expected) => {
  expect(await countReads(buildWithFiles(usual, hasDescriptors))).toEqual(expected);
});

it('files of 10 KiB share reads of a mebibyte', async () => {
  const sizes = new Array<number>(2_000).fill(10 * KIB);
  expect(await countReads(buildWithFiles(sizes, false))).toEqual({ reads: 17, mebibytes: 16 });
});

it('large files take a read of a few bytes each', async () => {
  const sizes = new Array<number>(100).fill(MIB);
  expect(await countReads(buildWithFiles(sizes, false))).toEqual({ reads: 97, mebibytes: 1 });
});

it('the bytes between files take at most a quarter of what an inspection may read', async () => {
  const sizes = new Array<number>(2_000).fill(100 * KIB);
  expect(await countReads(buildWithFiles(sizes, false))).toEqual({ reads: 1719, mebibytes: 24 });
});

it('a range can be in the beginning, the middle and the end, and an object that became shorter is rejected', async () => {
  const bytes = Buffer.alloc(2 * MIB);
  for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(at, at);
  let stored = bytes;
  const read: Storage['read'] = async (_key, offset, length) => stored.subarray(offset, offset + length);
  const head = { size: bytes.length, etag: '"1"', modifiedAt: new Date(0) };
  const bounds = [0, 1, 512 * KIB - 1, 512 * KIB, 512 * KIB + 1, MIB - 1, MIB, MIB + 1, 2 * MIB - 1, 2 * MIB];
  for (const tail of [undefined, bytes.subarray(MIB), bytes.subarray(512 * KIB - 1), bytes.subarray(0)]) {
    const source = createPackageSource({ read }, 'pending/1', { ...head, ...(tail && { tail }) });
    for (const start of bounds) {
      for (const end of bounds.filter((bound) => bound >= start)) {
        const found = await source.read(start, end - start);
        expect([start, end, found.equals(bytes.subarray(start, end))]).toEqual([start, end, true]);
      }
    }
  }
  const source = createPackageSource({ read }, 'pending/1', head);
  stored = bytes.subarray(0, MIB);
  await expect(source.read(MIB - 1, 2)).rejects.toMatchObject({ code: 'changed' });
});

it('planned reads begin in order, concurrently, and keep few bytes', async () => {
  const begun: number[] = [];
  const ranges = Array.from({ length: 100 }, (_, index) => ({ start: index * 10 * MIB, end: (index * 10 + 1) * MIB }));
  const planned = new PlannedReads(ranges, async (start, length) => {
    begun.push(start / MIB / 10);
    return Buffer.alloc(length, start / MIB / 10);
  });
  const take = async (index: number) => (await planned.find(index * 10 * MIB + 5, index * 10 * MIB + 7))?.[0];
  expect(planned.find(2 * MIB, 2 * MIB + 1)).toBeUndefined();
  expect(planned.find(MIB - 1, MIB + 1)).toBeUndefined();
  expect([await take(0), begun.splice(0)]).toEqual([0, [0, 1, 2, 3, 4, 5, 6, 7]]);
  expect([await take(1), begun.splice(0)]).toEqual([1, [8]]);
  expect([await take(0), begun.splice(0)]).toEqual([undefined, []]);
  expect([await take(50), begun.splice(0)]).toEqual([50, [50, 51, 52, 53, 54, 55, 56, 57]]);
  expect([await take(30), begun.splice(0)]).toEqual([undefined, []]);
  expect([await take(99), begun.splice(0)]).toEqual([99, [99]]);
});
