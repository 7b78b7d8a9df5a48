// The log: lines of one turn are written together, warnings and errors immediately, and none is lost.
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLineWriter } from '../../src/runtime/line-writer.ts';
import { bufferLines, openPrettyFormatter } from '../../src/runtime/log.ts';

function openLog() {
  const written: string[][] = [];
  const stream = bufferLines({
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

  it.each(['warn', 'error', 'fatal'] as const)('are written immediately for warnings and errors: %s', async (level) => {
    const { log, written } = openLog();
    log.info('before');
    log[level]('trouble');
    expect(written).toEqual([['before', 'trouble']]);
    await turn();
    expect(written).toEqual([['before', 'trouble']]);
  });

  it('are written when the log is flushed, and before they use much memory', () => {
    const { log, written } = openLog();
    log.info('kept');
    log.flush();
    expect(written).toEqual([['kept']]);
    log.info('x'.repeat(64 * 1024));
    expect(written.length).toBe(2);
  });
});

describe('a log for people', () => {
  const time = '2026-01-02T03:04:05.000Z';
  const lineOf = (fields: object) => `${JSON.stringify({ level: 30, time, ...fields })}\n`;

  it('has one line for each request, which begins with what it was', async () => {
    const format = await openPrettyFormatter(false);
    const facts = { request_id: 'r1', method: 'GET', route: '/api/v1/builds', status: 200, ms: 1.25, actor: 'a' };
    expect(format(lineOf({ ...facts, ip: '::1', msg: 'request' }))).toMatch(
      /^\[\d\d:\d\d:\d\d\] INFO: GET \/api\/v1\/builds 200 in 1\.25 ms {"request_id":"r1","actor":"a","ip":"::1"}\n$/,
    );
  });

  it('has one line for every other event, and the stack of an error', async () => {
    const format = await openPrettyFormatter(false);
    const migrated = format(lineOf({ migrations: 88, newest: '0088_name', msg: 'database migrated' }));
    expect(migrated).toMatch(/ INFO: database migrated {"migrations":88,"newest":"0088_name"}\n$/);
    const failed = format(
      lineOf({ level: 50, err: { type: 'Error', message: 'no', stack: 'Error: no\n    at x' }, msg: 'internal error' }),
    );
    expect(failed).toContain('    at x');
  });

  it.each([
    [true, {}, true],
    [true, { NO_COLOR: '' }, true],
    [true, { NO_COLOR: '1' }, false],
    [false, {}, false],
  ])('has colors on a terminal unless NO_COLOR has a value: %j, %j', async (isTerminal, env, isColored) => {
    const format = await openPrettyFormatter(isTerminal, env);
    expect(format(lineOf({ msg: 'stored' })).includes('\u001b')).toBe(isColored);
  });

  it('keeps the text of an event that contains another one named "request"', async () => {
    const format = await openPrettyFormatter(false);
    const line = format(lineOf({ cause: { msg: 'request' }, msg: 'delivery failed' }));
    expect(line).toMatch(/ INFO: delivery failed {"cause":{"msg":"request"}}\n$/);
  });
});

describe('a log with a slow reader', () => {
  function openPipe() {
    const pipe = { room: 0, text: '', recovered: [] as number[], error: 'EAGAIN' };
    const writer = createLineWriter({
      writeSome(bytes) {
        if (pipe.room === 0) throw Object.assign(new Error(pipe.error), { code: pipe.error });
        const taken = bytes.subarray(0, pipe.room);
        pipe.room -= taken.length;
        pipe.text += taken.toString();
        return taken.length;
      },
      onRecovered: (dropped) => pipe.recovered.push(dropped),
    });
    return { pipe, writer };
  }
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('gets all lines in order when it reads again', () => {
    const { pipe, writer } = openPipe();
    pipe.room = 5;
    writer.write('first line\n');
    writer.write('second line\n');
    expect(pipe.text).toBe('first');
    pipe.room = 1_000;
    vi.advanceTimersByTime(50);
    expect(pipe.text).toBe('first line\nsecond line\n');
    expect([writer.dropped(), pipe.recovered]).toEqual([0, []]);
  });

  it('drops lines beyond 1 MiB, counts them and reports the count', () => {
    const { pipe, writer } = openPipe();
    const line = `${'x'.repeat(1023)}\n`;
    for (let count = 0; count < 1_024; count += 1) writer.write(line);
    expect(writer.dropped()).toBe(0);
    writer.write(line);
    writer.write(`two\nmore\n`);
    expect([writer.dropped(), pipe.recovered]).toEqual([3, []]);
    pipe.room = 10 * 1024 * 1024;
    vi.advanceTimersByTime(50);
    expect(pipe.text).toBe(line.repeat(1_024));
    expect(pipe.recovered).toEqual([3]);
    writer.write('after\n');
    expect(pipe.text.endsWith('after\n')).toBe(true);
    expect([writer.dropped(), pipe.recovered]).toEqual([3, [3]]);
  });

  it.each(['EPIPE', 'ENOSPC', 'EIO'])('drops lines that fail with %s, and none afterwards', (error) => {
    const { pipe, writer } = openPipe();
    pipe.error = error;
    writer.write('lost\nlost\n');
    expect(writer.dropped()).toBe(2);
    pipe.room = 100;
    writer.write('written\n');
    expect([pipe.text, writer.dropped(), pipe.recovered]).toEqual(['written\n', 2, [2]]);
  });
});
