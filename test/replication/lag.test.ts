// How far the replica is behind, from what Litestream shows.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLag } from '../../src/replication/lag.ts';
import { createNudge } from '../../src/replication/nudge.ts';
import {
  type LitestreamState,
  litestreamFolderOf,
  parseMetrics,
  readLitestream,
} from '../../src/replication/position.ts';

const state = (
  copied: [index: number, offset: number],
  sent: [index: number, offset: number] | undefined,
  syncs: number,
  generation = 'a',
): LitestreamState => ({
  copied: { generation, index: copied[0], offset: copied[1] },
  sent: sent && { index: sent[0], offset: sent[1] },
  syncs,
});

describe('the lag of the replica', () => {
  it('is none if everything copied is sent', () => {
    const lag = createLag(0);
    lag.observe(1_000, state([0, 400], [0, 400], 1));
    expect(lag.read()).toEqual({ isRunning: true, isPositionKnown: true, lagMs: 0 });
    lag.observe(3_000, state([1, 100], [1, 100], 2));
    expect(lag.read().lagMs).toBe(0);
  });

  it('is the time since the last look whose changes were all sent', () => {
    const lag = createLag(0);
    lag.observe(1_000, state([0, 400], [0, 400], 1));
    lag.observe(3_000, state([0, 800], [0, 400], 2));
    expect(lag.read().lagMs).toBe(2_000);
    lag.observe(5_000, state([0, 1_200], [0, 799], 3));
    expect(lag.read().lagMs).toBe(4_000);
    lag.observe(7_000, state([1, 100], [0, 800], 4));
    expect(lag.read().lagMs).toBe(4_000);
    lag.observe(9_000, state([1, 200], [1, 100], 5));
    expect(lag.read().lagMs).toBe(2_000);
  });

  it('grows while Litestream is stopped, hangs, or was never seen', () => {
    const lag = createLag(0);
    lag.observe(5_000, undefined);
    expect(lag.read()).toEqual({ isRunning: false, isPositionKnown: false, lagMs: 5_000 });
    lag.observe(6_000, state([0, 400], [0, 400], 1));
    lag.observe(8_000, undefined);
    expect(lag.read()).toMatchObject({ isRunning: false, lagMs: 2_000 });
    // It responds, but copies nothing, so newer changes aren't known.
    lag.observe(9_000, state([0, 400], [0, 400], 1));
    expect(lag.read()).toMatchObject({ isRunning: true, lagMs: 3_000 });
  });

  it('grows although the clock was set back', () => {
    const lag = createLag(100_000);
    lag.observe(101_000, state([0, 400], [0, 400], 1));
    lag.observe(102_000, state([0, 800], [0, 400], 2));
    lag.observe(12_000, state([0, 900], [0, 400], 3));
    expect(lag.read().lagMs).toBe(1_000);
    lag.observe(15_000, state([0, 900], [0, 400], 3));
    expect(lag.read().lagMs).toBe(4_000);
    lag.observe(16_000, state([0, 900], [0, 800], 4));
    expect(lag.read().lagMs).toBe(4_000);
  });

  it('is not known until Litestream has sent something since its start', () => {
    const lag = createLag(0);
    lag.observe(1_000, state([0, 400], [0, 400], 9));
    lag.observe(3_000, state([0, 800], undefined, 1));
    expect(lag.read()).toEqual({ isRunning: true, isPositionKnown: false, lagMs: 2_000 });
    lag.observe(5_000, state([0, 900], [0, 900], 2));
    expect(lag.read()).toEqual({ isRunning: true, isPositionKnown: true, lagMs: 0 });
  });

  it('does not count what was sent of an earlier generation', () => {
    const lag = createLag(0);
    lag.observe(1_000, state([5, 400], [5, 400], 1));
    lag.observe(3_000, state([0, 100], [5, 400], 2, 'b'));
    lag.observe(5_000, state([0, 200], [5, 400], 3, 'b'));
    expect(lag.read()).toMatchObject({ isPositionKnown: false, lagMs: 4_000 });
    lag.observe(7_000, state([0, 200], [0, 200], 4, 'b'));
    expect(lag.read()).toMatchObject({ isPositionKnown: true, lagMs: 0 });
  });
});

describe('a write to the database', () => {
  it('is needed if Litestream has copied changes and sends none until the next look', () => {
    const nudge = createNudge();
    expect(nudge.isNeeded(1_000, state([0, 400], [0, 400], 1))).toBe(false);
    expect(nudge.isNeeded(2_000, state([0, 400], [0, 400], 2))).toBe(false);
    expect(nudge.isNeeded(3_000, state([0, 800], [0, 400], 3))).toBe(false);
    expect(nudge.isNeeded(4_000, state([0, 800], [0, 400], 4))).toBe(true);
    // The write itself is copied, then everything is sent.
    expect(nudge.isNeeded(5_000, state([0, 900], [0, 400], 5))).toBe(false);
    expect(nudge.isNeeded(6_000, state([0, 900], [0, 900], 6))).toBe(false);
    expect(nudge.isNeeded(7_000, state([1, 100], [0, 900], 7))).toBe(false);
    expect(nudge.isNeeded(8_000, state([1, 100], [0, 900], 8))).toBe(true);
  });

  it('is needed if it is not known what was sent, and every ten seconds without progress', () => {
    const nudge = createNudge();
    const needed = Array.from({ length: 23 }, (_, second) =>
      nudge.isNeeded(second * 1_000, state([0, 400], undefined, second)),
    );
    expect(needed.flatMap((is, second) => (is ? [second] : []))).toEqual([1, 11, 21]);
  });
});

describe('the state of Litestream', () => {
  let folder: string;
  let database: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'taxiway-litestream-'));
    database = join(folder, 'taxiway.db');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const metrics = (name: string) => `# TYPE litestream_sync_count counter
litestream_sync_count{db="/other.db"} 4
litestream_sync_count{db="${name}"} 1.5e+01
litestream_sync_error_count{db="${name}"} 2
litestream_replica_wal_index{db="${name}",name="taxiway"} 3
litestream_replica_wal_offset{db="${name}",name="taxiway"} 3.7615664e+07
`;
  const respond = (text: string, status = 200) => (async () => new Response(text, { status })) as typeof fetch;
  const read = (request: typeof fetch) => readLitestream({ database, address: '127.0.0.1:9465' }, request);

  it('is read from its metrics and its files beside the database', async () => {
    const logs = join(litestreamFolderOf(database), 'generations/0123456789abcdef/wal');
    mkdirSync(logs, { recursive: true });
    writeFileSync(join(litestreamFolderOf(database), 'generation'), '0123456789abcdef\n');
    writeFileSync(join(logs, '00000009.wal'), 'x');
    writeFileSync(join(logs, '0000000a.wal'), 'x'.repeat(70));
    writeFileSync(join(logs, '0000000b.tmp'), '');
    expect(await read(respond(metrics(database)))).toEqual({
      copied: { generation: '0123456789abcdef', index: 10, offset: 70 },
      sent: { index: 3, offset: 37_615_664 },
      syncs: 13,
    });
  });

  it('has no position before Litestream has copied and sent anything', async () => {
    const state = await read(respond(`litestream_sync_count{db="${database}"} 0\n`));
    expect(state).toEqual({ copied: undefined, sent: undefined, syncs: 0 });
  });

  it('is missing if another program or another database responds, or no program does', async () => {
    expect(await read(respond(metrics('/srv/other.db')))).toBeUndefined();
    expect(await read(respond('<h1>Hello</h1>'))).toBeUndefined();
    expect(await read(respond(metrics(database), 500))).toBeUndefined();
    expect(await read(respond('x'.repeat(2 * 1024 * 1024)))).toBeUndefined();
    const refuse = (async () => {
      throw new TypeError('fetch failed');
    }) as typeof fetch;
    expect(await read(refuse)).toBeUndefined();
  });

  it('is found for a path with characters that metrics escape', () => {
    expect(parseMetrics(metrics('/srv/a \\"b\\" \\\\ c.db'), '/srv/a "b" \\ c.db')?.syncs).toBe(13);
  });
});
