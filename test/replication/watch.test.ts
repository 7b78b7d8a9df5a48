// Replication on a running server: metrics, the System page and health checks, beside a Litestream that the test plays.
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkReplication, describeWatched } from '../../src/checks/replication.ts';
import { measureLog } from '../../src/data/log-size.ts';
import { SECOND } from '../../src/lib/clock.ts';
import { litestreamFolderOf } from '../../src/replication/position.ts';
import { replicationWatchOf } from '../../src/replication/watch.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, type Json } from '../support/harness.ts';

/** What Litestream shows; undefined while it's stopped. */
let shown: { syncs: number; sent?: number } | undefined;
let database = '';
let litestream: Server;
let fixture: Fixture;
beforeEach(async () => {
  shown = { syncs: 1, sent: 100 };
  litestream = createServer((_request, response) => {
    const db = `{db="${database}"`;
    const lines = [`litestream_sync_count${db}} ${shown?.syncs}`];
    if (shown?.sent !== undefined) {
      lines.push(`litestream_replica_wal_index${db},name="taxiway"} 0`);
      lines.push(`litestream_replica_wal_offset${db},name="taxiway"} ${shown.sent}`);
    }
    response.writeHead(shown === undefined ? 503 : 200).end(`${lines.join('\n')}\n`);
  });
  await new Promise<void>((done) => litestream.listen(0, '127.0.0.1', done));
  const { port } = litestream.address() as AddressInfo;
  const metricsAddress = `127.0.0.1:${port}`;
  fixture = await startFixture({
    config: { replication: { target: 's3://replica/a', metrics_address: metricsAddress } },
  });
  database = fixture.config.database.file;
  copy(100);
  // The first may have begun before.
  await look();
  await look();
});
afterEach(async () => {
  await fixture?.stop();
  litestream.close();
});

/** As Litestream copies the log: the files beside the database have so many bytes. */
function copy(bytes: number): void {
  const folder = litestreamFolderOf(fixture.config.database.file);
  const logs = join(folder, 'generations/0123456789abcdef/wal');
  mkdirSync(logs, { recursive: true });
  writeFileSync(join(folder, 'generation'), '0123456789abcdef\n');
  writeFileSync(join(logs, '00000000.wal'), Buffer.alloc(bytes));
}

const look = () => replicationWatchOf(fixture.app).look();
const findings = () => {
  const { app, config } = fixture;
  return describeWatched(config, replicationWatchOf(app).state(), measureLog(app.db.$client));
};
const readState = async () => (await api(fixture).get<{ replication: Json | null }>('/api/v1/system')).body.replication;
const readMetric = async (name: string) => {
  const { text } = await api(fixture, null).send('GET', '/metrics');
  return new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
};

describe('replication', () => {
  it('is shown as current while the replica has everything', async () => {
    expect(await readState()).toEqual({
      target: 's3://replica/a',
      is_running: true,
      lag_seconds: 0,
      log_bytes: expect.any(Number),
    });
    expect(await readMetric('taxiway_replication_up')).toBe('1');
    expect(await readMetric('taxiway_replication_lag_seconds')).toBe('0');
    expect(Number(await readMetric('taxiway_database_log_bytes'))).toBe(measureLog(fixture.app.db.$client));
    expect(await findings()).toMatchObject([
      { status: 'ok', code: 'replication_current', values: { target: 's3://replica/a', seconds: 0 } },
      { status: 'warn', code: 'replication_packages', values: { folder: fixture.config.storage.local.directory } },
    ]);
  });

  it('is late if the replica is behind for longer than the limit', async () => {
    copy(200);
    const older = join(litestreamFolderOf(database), 'generations/0123456789abcdef/wal/-older.wal');
    writeFileSync(older, '');
    truncateSync(older, 40 * 1024 * 1024);
    for (const [seconds, code] of [
      [60, 'replication_current'],
      [1, 'replication_late'],
    ] as const) {
      fixture.clock.advance(seconds * SECOND);
      shown = { syncs: (shown?.syncs ?? 0) + 1, sent: 199 };
      await look();
      expect((await findings())[0]).toMatchObject({ code });
    }
    expect((await findings())[0]?.detail).toMatch(
      /^s3:\/\/replica\/a is at least 61 s behind, and unsent changes take 4\d MiB beside the database: read Litestream's log, and restart Litestream once the target can be reached, because it can hang without logging anything$/,
    );
    expect(await readMetric('taxiway_replication_lag_seconds')).toBe('61');
    shown = { syncs: 9, sent: 200 };
    await look();
    expect((await findings())[0]).toMatchObject({ code: 'replication_current' });
  });

  it('is logged when Litestream stops and runs again', async () => {
    const { log, config } = fixture.app;
    const lines: unknown[] = [];
    log.warn = (facts: unknown, text?: unknown) => void lines.push([facts, text]);
    log.info = (facts: unknown, text?: unknown) => void lines.push([facts, text]);
    const { metrics_address: address } = config.replication;
    shown = undefined;
    await look();
    await look();
    shown = { syncs: 2, sent: 100 };
    await look();
    await look();
    expect(lines).toEqual([
      [{ address }, 'replication stopped'],
      [{ address }, 'replication running'],
    ]);
  });

  it('does not stop the server if its database can not be written', async () => {
    fixture.clock.advance(5 * SECOND);
    shown = { syncs: 1 };
    const { health } = fixture.app;
    let writes = 0;
    health.write = () => {
      writes += 1;
      throw new Error('disk I/O error');
    };
    await look();
    await look();
    expect(writes).toBe(1);
  });

  it('fails while Litestream is stopped, with the size of the log and what to do', async () => {
    shown = undefined;
    fixture.clock.advance(5 * SECOND);
    await look();
    const { metrics_address: address } = fixture.config.replication;
    const mebibytes = Math.ceil(measureLog(fixture.app.db.$client) / 1_048_576);
    expect((await findings())[0]).toEqual({
      name: 'replication',
      status: 'fail',
      code: 'replication_stopped',
      detail:
        `Litestream doesn't respond at ${address}, so nothing is replicated and the write-ahead log (${mebibytes} MiB) grows: ` +
        'run "systemctl start taxiway-litestream" and read its log',
      values: { address, mebibytes },
    });
    expect(await readState()).toMatchObject({ is_running: false, lag_seconds: 5 });
    expect(await readMetric('taxiway_replication_up')).toBe('0');
    expect(await readMetric('taxiway_replication_lag_seconds')).toBe('5');
  });

  it('writes to an idle database after a start of Litestream, so that its position becomes known', async () => {
    const version = () => Number(fixture.app.db.$client.pragma('user_version', { simple: true }));
    const before = version();
    await look();
    await look();
    expect(version()).toBe(before);
    shown = { syncs: 1 };
    await look();
    await look();
    await look();
    expect(version()).toBe(before + 1);
    expect((await findings())[0]).toMatchObject({ status: 'warn', code: 'replication_unknown' });
  });

  it('is in the findings for operators', async () => {
    const { body } = await api(fixture).get<{ findings: Json[] }>('/api/v1/system/findings');
    expect(body.findings.map(({ code }) => code)).toContain('replication_current');
  });

  it('says nothing if it is off', async () => {
    const off = await startFixture();
    try {
      expect((await api(off).get<{ replication: null }>('/api/v1/system')).body.replication).toBeNull();
      const { text } = await api(off, null).send('GET', '/metrics');
      expect(text).not.toContain('taxiway_replication');
      expect(text).toContain('taxiway_database_log_bytes');
      expect(await checkReplication(off.config, off.app.db.$client)).toEqual([]);
    } finally {
      await off.stop();
    }
  });
});

describe('taxiway check', () => {
  /** Runs the check; `pass` plays what happens in each pause. */
  async function check(pass: (pause: number) => void) {
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
      pass(pauses);
    };
    const [finding] = await checkReplication(fixture.config, fixture.app.db.$client, { pause });
    return { code: finding?.code, pauses };
  }

  it('waits until Litestream has copied and sent what was written before', async () => {
    const result = await check((pause) => {
      // This one had begun before what was written last.
      if (pause === 1) shown = { syncs: 2, sent: 100 };
      if (pause === 3) copy(200);
      if (pause === 3) shown = { syncs: 3, sent: 100 };
      if (pause === 4) shown = { syncs: 4, sent: 200 };
    });
    expect(result).toEqual({ code: 'replication_current', pauses: 4 });
  });

  it('is not late while more and more is written', async () => {
    const result = await check((pause) => {
      copy(100 + 100 * pause);
      shown = { syncs: 1 + pause, sent: 100 * pause };
    });
    // What was there at the third look is sent at the fourth.
    expect(result).toEqual({ code: 'replication_current', pauses: 4 });
  });

  it('starts over if Litestream was restarted', async () => {
    shown = { syncs: 90, sent: 100 };
    const result = await check((pause) => {
      shown = { syncs: pause, sent: 100 };
    });
    expect(result).toEqual({ code: 'replication_current', pauses: 4 });
  });

  it('fails if Litestream copies but sends nothing, or copies nothing', async () => {
    copy(200);
    expect(
      await check((pause) => {
        shown = { syncs: pause, sent: 100 };
      }),
    ).toEqual({
      code: 'replication_late',
      pauses: 28,
    });
    copy(100);
    expect(await check(() => undefined)).toMatchObject({ code: 'replication_late' });
  });

  it('warns if nothing was sent since the start, and fails immediately without Litestream', async () => {
    shown = { syncs: 1 };
    expect(await check(() => undefined)).toMatchObject({ code: 'replication_unknown' });
    shown = undefined;
    expect(await check(() => undefined)).toEqual({ code: 'replication_stopped', pauses: 0 });
  });
});
