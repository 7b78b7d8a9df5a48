import { describe, expect, it } from 'vitest';
import { createByteQueue } from '../../src/lib/byte-queue.ts';

const bytes = Buffer.from(Array.from({ length: 20_000 }, (_, index) => index % 251));

/** Adds the bytes in chunks of the given sizes, again and again. */
function queueOf(sizes: number[]) {
  const queue = createByteQueue();
  for (let at = 0, next = 0; at < bytes.length; next += 1) {
    const size = sizes[next % sizes.length] ?? 1;
    queue.add(bytes.subarray(at, at + size));
    at += size;
  }
  return queue;
}

function shiftAll({ shift }: ReturnType<typeof createByteQueue>): Buffer[] {
  const parts: Buffer[] = [];
  for (let part = shift(); part !== undefined; part = shift()) parts.push(part);
  return parts;
}

describe('a queue of bytes', () => {
  it.each([
    ['of one byte', [1]],
    ['of a large and a small number', [5_000, 1, 7]],
    ['of more than a block after a small one', [3, 4_097]],
    ['of everything', [20_000]],
  ])('returns chunks %s in their order', (_name, sizes) => {
    const queue = queueOf(sizes);
    expect([queue.size(), queue.all().equals(bytes)]).toEqual([bytes.length, true]);
    expect(Buffer.concat(shiftAll(queue)).equals(bytes)).toBe(true);
    expect([queue.size(), queue.shift(), queue.all().length]).toEqual([0, undefined, 0]);
  });

  it('keeps chunks of one byte in few blocks', () => {
    // The first chunk is kept as it is.
    expect(shiftAll(queueOf([1])).map(({ length }) => length)).toEqual([1, 4_096, 4_096, 4_096, 4_096, 3_615]);
  });

  it('keeps what was returned unchanged', () => {
    const queue = createByteQueue();
    for (const text of ['a', 'b', 'c']) queue.add(Buffer.from(text));
    const [first, second] = [queue.shift(), queue.shift()];
    for (const text of ['d', 'e']) queue.add(Buffer.from(text));
    expect([String(first), String(second), String(queue.all())]).toEqual(['a', 'bc', 'de']);
  });
});
