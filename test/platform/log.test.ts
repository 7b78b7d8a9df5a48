// When lines of the log are written: those of one turn together, trouble at once, nothing left behind.
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { gatherLines } from '../../src/platform/log.ts';

function openLog() {
  const written: string[][] = [];
  const stream = gatherLines({
    write: (text) => {
      const lines = text.trimEnd().split('\n');
      written.push(lines.map((line) => String((JSON.parse(line) as { msg: string }).msg)));
    },
  });
  return { log: pino({ base: null }, stream), written };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('lines of the log', () => {
  it('are written together at the end of a turn', async () => {
    const { log, written } = openLog();
    log.info('one');
    log.info('two');
    expect(written).toEqual([]);
    await turn();
    expect(written).toEqual([['one', 'two']]);
    log.info('three');
    await turn();
    expect(written).toEqual([['one', 'two'], ['three']]);
  });

  it.each(['warn', 'error', 'fatal'] as const)('are written at once when one tells of trouble: %s', async (level) => {
    const { log, written } = openLog();
    log.info('before');
    log[level]('trouble');
    expect(written).toEqual([['before', 'trouble']]);
    await turn();
    expect(written).toEqual([['before', 'trouble']]);
  });

  it('are written when the log is flushed, and before they take much memory', () => {
    const { log, written } = openLog();
    log.info('kept');
    log.flush();
    expect(written).toEqual([['kept']]);
    log.info('x'.repeat(64 * 1024));
    expect(written.length).toBe(2);
  });
});
