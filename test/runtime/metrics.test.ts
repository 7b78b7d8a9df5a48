// Metrics: access with the token or from the same machine, and counts by route.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { finishRun, insertRun } from '../../src/backup/run-store.ts';
import { pendingUploadsSweep } from '../../src/builds/sweeps.ts';
import { databaseBytes } from '../../src/data/database-size.ts';
import { sweepRuns, webhookDeliveries } from '../../src/data/tables/tables.ts';
import { HOUR } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, expectRefusal } from '../support/harness.ts';

interface Alert {
  alert: string;
  expr: string;
  for?: string;
  annotations: { summary: string };
}

const TOKEN = 'a token that Prometheus knows, also with é and €';
/** As programs send it: the bytes of UTF-8, each of which is a character for fetch. */
const SENT = Buffer.from(TOKEN).toString('latin1');
let open: Fixture;
let guarded: Fixture;
beforeAll(async () => {
  [open, guarded] = await Promise.all([startFixture(), startFixture({ config: { metrics: { token: TOKEN } } })]);
});
afterAll(() => Promise.all([open?.stop(), guarded?.stop()]));

const read = (fixture: Fixture, headers: Record<string, string> = {}) =>
  api(fixture, null).send('GET', '/metrics', { headers });

describe('metrics', () => {
  it('count requests by route and status, and never contain an address', async () => {
    await api(open).get(`/api/v1/projects/${open.android_project_id}`);
    await api(open, null).get('/install/not-a-capability');
    const { status, headers, text } = await read(open);
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/plain; version=/)]);
    expect(text).toContain(
      'taxiway_http_request_seconds_count{method="GET",route="/api/v1/projects/{project_id}",status="200"} 1',
    );
    expect(text).toContain(
      'taxiway_http_request_seconds_bucket{method="GET",route="/install/{capability}",status="404",le="+Inf"} 1',
    );
    expect(text).toContain('taxiway_jobs{state="dead"} 0');
    // Otherwise the alert of failed emails wouldn't see the first one.
    expect(text).toContain('taxiway_mails{state="failed"} 0\n');
    expect(text).not.toContain(open.android_project_id);
    expect(text).not.toContain('not-a-capability');
  });
  it('count pending and failed webhook deliveries, except those of deleted webhooks', async () => {
    const webhooks = '/api/v1/webhooks';
    const body = { url: 'http://127.0.0.1:2/', events: ['build.uploaded'] };
    const client = api(open);
    const made = await client.post<{ identifier: string }>(webhooks, body, { organization_id: open.organization_id });
    expect((await client.post(`${webhooks}/${made.body.identifier}/test`)).status).toBe(202);
    await open.drain();
    const { app } = open;
    const [delivery] = app.db.select().from(webhookDeliveries).all();
    if (delivery === undefined) throw new Error('no delivery was made');
    for (const status of ['dead', 'dead', 'delivered', 'pending'] as const) {
      app.db
        .insert(webhookDeliveries)
        .values({ ...delivery, id: app.ids.next(), status, nextAttemptAt: null })
        .run();
    }
    app.db
      .insert(webhookDeliveries)
      .values({ ...delivery, id: app.ids.next(), subscriptionId: app.ids.next() })
      .run();
    const lines = (await read(open)).text.split('\n').filter((line) => line.startsWith('taxiway_webhook_deliveries'));
    expect(lines.sort()).toEqual([
      'taxiway_webhook_deliveries{status="dead"} 2',
      'taxiway_webhook_deliveries{status="pending"} 1',
      'taxiway_webhook_deliveries{status="retrying"} 1',
    ]);
  });
  it('have the last run of cleanup jobs that the server runs, and of no other', async () => {
    const startedAt = open.clock.now().getTime();
    const run = { startedAt, durationMs: 1500, removed: 2 };
    open.app.db
      .insert(sweepRuns)
      .values([
        { ...run, name: 'exports', error: null },
        { ...run, name: 'sessions', error: 'Error: no' },
        // Billing is off again.
        { ...run, name: 'billing', error: 'Error: no' },
      ])
      .run();
    const lines = (await read(open)).text.split('\n').filter((line) => line.startsWith('taxiway_sweep_last_run_'));
    expect(lines.sort()).toEqual([
      'taxiway_sweep_last_run_removed{sweep="exports"} 2',
      'taxiway_sweep_last_run_removed{sweep="sessions"} 2',
      'taxiway_sweep_last_run_seconds{sweep="exports"} 1.5',
      'taxiway_sweep_last_run_seconds{sweep="sessions"} 1.5',
      `taxiway_sweep_last_run_timestamp_seconds{sweep="exports",result="done"} ${startedAt / 1000}`,
      `taxiway_sweep_last_run_timestamp_seconds{sweep="sessions",result="failed"} ${startedAt / 1000}`,
    ]);
  });
  it('are available only to this machine without a token, and not to a proxy on it', async () => {
    expectRefusal(await read(open, { 'x-forwarded-for': '127.0.0.1' }), 404, 'not_found');
    expectRefusal(await read(open, { forwarded: 'for=127.0.0.1' }), 404, 'not_found');
    expectRefusal(await read(open, { 'x-real-ip': '127.0.0.1' }), 404, 'not_found');
    expectRefusal(await read(open, { 'x-forwarded-proto': 'http' }), 404, 'not_found');
    expectRefusal(await read(open, { via: '1.1 proxy' }), 404, 'not_found');
  });
  it('require the token if one is configured', async () => {
    expectRefusal(await read(guarded), 401, 'unauthorized');
    expectRefusal(await read(guarded, { authorization: `Bearer ${SENT}x` }), 401, 'unauthorized');
    expectRefusal(await read(guarded, { authorization: SENT }), 401, 'unauthorized');
    expectRefusal(await read(guarded, { authorization: `Basic ${SENT}` }), 401, 'unauthorized');
    // The case of a scheme doesn't matter (RFC 9110 section 11.1).
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect((await read(guarded, { authorization: `${scheme} ${SENT}` })).status).toBe(200);
    }
  });
  it('contain the free disk space, the size of the database, and the end of the certificate in use', async () => {
    const server = await startFixture({ config: { server: { tls: { mode: 'internal' } } } });
    try {
      const { startsAt = 0, expiresAt = 0 } = server.app.https?.certificate() ?? {};
      const values = new Map((await read(server)).text.split('\n').map((line) => line.split(' ') as [string, string]));
      expect(Number(values.get('taxiway_certificate_expiry_timestamp_seconds'))).toBe(expiresAt / 1000);
      expect(expiresAt).toBeGreaterThan(server.clock.now().getTime());
      expect(Number(values.get('taxiway_certificate_lifetime_seconds'))).toBe((expiresAt - startsAt) / 1000);
      expect(startsAt).toBeLessThanOrEqual(server.clock.now().getTime() - HOUR);
      expect(Number(values.get('taxiway_database_bytes'))).toBe(databaseBytes(server.app.db.$client));
      const [free, size] = ['free', 'size'].map((name) => Number(values.get(`taxiway_disk_${name}_bytes`)));
      expect(free).toBeGreaterThan(0);
      expect(size).toBeGreaterThanOrEqual(free ?? Number.NaN);
    } finally {
      await server.stop();
    }
    expect((await read(open)).text).not.toContain('taxiway_certificate_');
  });
  it('have the names and labels that the alert rules and the dashboard ask for', async () => {
    const folder = join(import.meta.dirname, '../../docs/monitoring');
    const text = ['alerts.yml', 'grafana.json'].map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
    const asked = new Set(text.match(/taxiway_[a-z0-9_]+/g));
    const server = await startFixture({
      config: { server: { tls: { mode: 'internal' } }, replication: { target: 'replica' } },
    });
    try {
      await server.sweep('pending-uploads');
      const { db, clock } = server.app;
      const run = insertRun(db.$client, {
        startedAt: clock.now().getTime(),
        place: server.app.config.backup.directory,
      });
      const sizes = { addedBytes: 1, totalBytes: 1, objects: 1 };
      const finishedAt = clock.now().getTime();
      finishRun(db.$client, run, { state: 'succeeded', finishedAt, backupId: 'a', problem: null, ...sizes });
      await read(server);
      const metrics = (await read(server)).text;
      // A metric without values has only its type.
      const names = new Set([...metrics.matchAll(/^(?:# TYPE )?(taxiway_[a-z0-9_]+)/gm)].map(([, name]) => name));
      expect([...asked].filter((name) => !names.has(name))).toEqual([]);
      for (const label of ['state="dead"', 'state="waiting"', 'status="dead"', 'sweep="pending-uploads"']) {
        expect(metrics).toContain(label);
      }
      expect(asked.size).toBeGreaterThan(15);
    } finally {
      await server.stop();
    }
  });

  it('have alerts whose summaries show bytes as bytes', () => {
    const rules = parse(readFileSync(join(import.meta.dirname, '../../docs/monitoring/alerts.yml'), 'utf8'));
    const shown = (rules.groups as { rules: Alert[] }[])
      .flatMap((group) => group.rules)
      .filter(({ annotations }) => annotations.summary.includes('humanize }}'));
    expect(shown.map(({ alert }) => alert)).toEqual(['TaxiwayDiskLow', 'TaxiwayLogLarge']);
    for (const { expr, annotations } of shown) {
      expect(annotations.summary).toContain('{{ $value | humanize }}B');
      // The value of a comparison is its left side.
      for (const part of expr.split(' or ')) expect(part).toMatch(/^taxiway_\w+_bytes [<>] /);
    }
  });

  it('have no alert of schedules that the first run after a start ends', () => {
    const rules = parse(readFileSync(join(import.meta.dirname, '../../docs/monitoring/alerts.yml'), 'utf8'));
    const alerts = (rules.groups as { rules: Alert[] }[]).flatMap((group) => group.rules);
    const stopped = alerts.find(({ alert }) => alert === 'TaxiwaySchedulesStopped');
    expect([stopped?.for, pendingUploadsSweep.schedule]).toEqual(['10m', '*/5 * * * *']);
  });

  it('can be turned off', async () => {
    const off = await startFixture({ config: { metrics: { enabled: false } } });
    expectRefusal(await read(off), 404, 'not_found');
    await off.stop();
  });
});
