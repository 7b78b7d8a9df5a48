// Reading a small object that is deleted at the same time returns nothing; other errors are thrown.
import { describe, expect, it } from 'vitest';
import { type Storage, StorageError } from '../../src/core/storage.ts';
import { readWhole } from '../../src/storage/read-whole.ts';

const storageThat = (read: () => Promise<Buffer>, size: number | undefined = 3) =>
  ({
    head: async () => (size === undefined ? undefined : { size, etag: '"x"', modifiedAt: new Date(0) }),
    read,
  }) as unknown as Storage;

describe('reading a small object', () => {
  it('returns its bytes', async () => {
    expect(
      await readWhole(
        storageThat(async () => Buffer.from('abc')),
        'icons/x',
      ),
    ).toEqual(Buffer.from('abc'));
  });
  it('returns nothing if it does not exist, or was just deleted', async () => {
    const gone = async () => Promise.reject(new StorageError('not_found', 'gone'));
    expect(await readWhole(storageThat(gone), 'icons/x')).toBeUndefined();
    expect(await readWhole({ ...storageThat(gone), head: async () => undefined }, 'icons/x')).toBeUndefined();
  });
  it('throws other errors', async () => {
    const broken = async () => Promise.reject(new StorageError('unavailable', 'no answer'));
    await expect(readWhole(storageThat(broken), 'icons/x')).rejects.toThrow('no answer');
  });
});
