// GET /system: the state of the server, for operators only.
import { realpathSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { inArray, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { DeveloperContext } from '../../src/core/context.ts';
import {
  builds,
  jobs as jobsTable,
  outboxEvents,
  outboxMails,
  webhookDeliveries,
  webhookSubscriptions,
} from '../../src/data/tables/tables.ts';
import { SECOND } from '../../src/lib/clock.ts';
import { countDeliveries, countJobs, countMails } from '../../src/service/queue-counts.ts';
import { sweeps } from '../../src/sweeps.ts';
import { readSystem } from '../../src/system/service.ts';
import { readQueues, totalBuilds } from '../../src/system/store.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, expectRefusal, type Json } from '../support/harness.ts';
import { addPerson, addPersonalToken } from '../support/people.ts';
import { plansOf, stepsOn } from '../support/plans.ts';
import { countTurns } from '../support/turns.ts';
import { addBuild } from '../sweeps/scenario.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

const PATH = '/api/v1/system';
interface System extends Json {
  sweeps: { name: string; schedule: string; next_run_at: string; last_run: Json | null }[];
}

describe('the status of the server', () => {
  it('contains version, disk, storage, queues, email and certificate', async () => {
    await addBuild(fixture, 1, 0);
    const { status, body } = await api(fixture).get<System>(PATH);
    expect(status).toBe(200);
    expect(body).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      commit: 'unbuilt',
      built_at: null,
      started_at: expect.any(String),
      now: expect.any(String),
      base_url: fixture.config.server.base_url,
      data_dir: fixture.config.server.data_dir,
      database: { size_bytes: expect.any(Number), pending_migrations: 0 },
      storage: {
        backend: 'local',
        ok: true,
        detail: expect.any(String),
        builds: 1,
        build_bytes: 9,
        backends: [
          {
            backend: 'local',
            location: realpathSync(fixture.config.storage.local.directory),
            ok: true,
            detail: expect.any(String),
            builds: 1,
            build_bytes: 9,
            unavailable_since: null,
            last_error: null,
          },
        ],
        containers: { count: 0, items: [] },
        move: null,
        problems: { count: 0, objects: [] },
      },
      backup: {
        place: join(fixture.config.server.data_dir, 'backups'),
        schedule: '',
        is_encrypted: false,
        is_running: false,
        next_run_at: null,
        last_run: null,
        last_success: null,
      },
      replication: null,
      disk: { free_bytes: expect.any(Number), total_bytes: expect.any(Number) },
      accounts: { developers: 1, organizations: 1, projects: 2 },
      jobs: { waiting: expect.any(Number), dead: 0, oldest_due_at: null, last_error: null },
      webhook_deliveries: { pending: 0, retrying: 0, dead: 0, last_error: null, last_error_at: null },
      mail: {
        transport: 'outbox',
        from: 'Taxiway <taxiway@localhost>',
        pending: 0,
        kept: 0,
        sent: 0,
        failed: 0,
        last_error: null,
        last_error_at: null,
      },
      certificate: { mode: 'off', is_https: false, names: [], expires_at: null },
      sweeps: expect.any(Array),
    });
  });

  it('contains the last run of each cleanup job, with duration, deleted rows and error', async () => {
    const read = async () => (await api(fixture).get<System>(PATH)).body.sweeps;
    const names = sweeps.map(({ name }) => name);
    expect((await read()).map(({ name }) => name)).toEqual(
      names.filter((name) => name !== 'reservations' && name !== 'billing'),
    );
    const find = async (name: string) => (await read()).find((sweep) => sweep.name === name);
    expect(await find('pending-uploads')).toEqual({
      name: 'pending-uploads',
      schedule: '*/5 * * * *',
      next_run_at: expect.stringMatching(/:[0-5][05]:00\.000Z$/),
      last_run: null,
    });
    await fixture.sweep('pending-uploads');
    expect((await find('pending-uploads'))?.last_run).toEqual({
      started_at: expect.any(String),
      duration_ms: expect.any(Number),
      removed: 0,
      error: null,
    });
    fixture.app.db.$client.exec('ALTER TABLE mfa_reminders RENAME TO elsewhere');
    await expect(fixture.sweep('mfa-reminders')).rejects.toThrow();
    fixture.app.db.$client.exec('ALTER TABLE elsewhere RENAME TO mfa_reminders');
    expect((await find('mfa-reminders'))?.last_run).toMatchObject({ error: expect.stringContaining('no such table') });
  });

  it('contains the oldest waiting job and the last error, without reading other jobs', async () => {
    const { db, ids, clock } = fixture.app;
    const now = clock.now().getTime();
    const job = (kind: string, seconds: number, lastError: string | null) => ({
      id: ids.next(),
      kind,
      payload: '{}',
      runAt: now + seconds * SECOND,
      maxAttempts: 3,
      lastError,
      state: 'waiting' as const,
      createdAt: now,
    });
    const added = [job('a', 900, 'first'), job('b', 700, null), job('b', 800, 'second'), job('c', 950, null)];
    db.insert(jobsTable).values(added).run();
    onTestFinished(
      () =>
        void db
          .delete(jobsTable)
          .where(
            inArray(
              jobsTable.id,
              added.map(({ id }) => id),
            ),
          )
          .run(),
    );
    const { body } = await api(fixture).get<System>(PATH);
    expect(body.jobs).toMatchObject({
      oldest_due_at: new Date(now + 700 * SECOND).toISOString(),
      last_error: 'second',
    });
    const plans = await plansOf(db.$client, () => readQueues(fixture.app));
    const steps = stepsOn('jobs', plans);
    expect(steps.length).toBeGreaterThan(3);
    const isBounded = (step: string) => /jobs_due \(state=\?|USING INDEX jobs_failed$/.test(step);
    expect(steps.filter((step) => !isBounded(step))).toEqual([]);
  });

  it('contains failed emails, and deliveries by status', async () => {
    const { db, ids, clock } = fixture.app;
    const writtenAt = clock.now().getTime();
    const mail = (state: 'failed' | 'sent', lastError: string | null) => ({
      id: ids.next(),
      kind: 'verify_email',
      recipient: 'dana@example.com',
      subject: 'Hello',
      text: '',
      html: '',
      state,
      lastError,
      nextAttemptAt: writtenAt,
      createdAt: writtenAt,
    });
    db.insert(outboxMails)
      .values([mail('sent', null), mail('failed', '550 no such mailbox'), mail('sent', null)])
      .run();
    const { body } = await api(fixture).get<System>(PATH);
    expect(body.mail).toMatchObject({
      sent: 2,
      failed: 1,
      last_error: '550 no such mailbox',
      last_error_at: new Date(writtenAt).toISOString(),
    });
    expect(body.webhook_deliveries).toEqual({
      pending: 0,
      retrying: 0,
      dead: 0,
      last_error: null,
      last_error_at: null,
    });
    const plan = (sql: string) =>
      db.$client
        .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => detail)
        .join('; ');
    expect(
      plan(`SELECT last_error FROM outbox_mails
        WHERE state IN ('pending', 'failed') AND last_error IS NOT NULL ORDER BY +id DESC LIMIT 1`),
    ).toContain('USING INDEX outbox_mails_state');
  });

  it('contains the findings of taxiway check, most urgent first', async () => {
    const { status, body } = await api(fixture).get<Json>(`${PATH}/findings`);
    expect(status).toBe(200);
    expect(body).toEqual({
      checked_at: expect.any(String),
      findings: [
        {
          name: 'ios',
          status: 'warn',
          detail: expect.stringMatching(/an address that phones can reach and https/),
          code: 'address_not_reachable_no_https',
          values: { address: fixture.config.server.base_url },
        },
        {
          name: 'mail',
          status: 'ok',
          detail: "emails aren't sent; they stay in the database",
          code: 'mail_outbox',
          values: {},
        },
        { name: 'storage', status: 'ok', detail: expect.any(String), code: 'storage_works', values: {} },
        {
          name: 'disk',
          status: expect.stringMatching(/^(ok|warn)$/),
          detail: expect.stringMatching(/MiB free/),
          code: expect.stringMatching(/^disk_(free|low)$/),
          values: { mebibytes: expect.any(Number) },
        },
        {
          name: 'database',
          status: 'ok',
          detail: expect.stringMatching(/^intact when it was checked at 20/),
          code: 'database_intact',
          values: { at: expect.any(String) },
        },
        {
          name: 'migrations',
          status: 'ok',
          detail: expect.stringMatching(/none pending/),
          code: 'migrations_applied',
          values: { count: expect.any(Number) },
        },
        {
          name: 'clock',
          status: 'ok',
          detail: expect.any(String),
          code: 'clock_right',
          values: { now: expect.any(String) },
        },
      ],
    });
    fixture.clock.advance(30_000);
    const again = await api(fixture).get<Json>(`${PATH}/findings`);
    expect(again.body.checked_at).toBe(body.checked_at);
    fixture.clock.advance(31_000);
    const anew = await api(fixture).get<Json>(`${PATH}/findings`);
    expect(anew.body.checked_at).not.toBe(body.checked_at);
    // A clock that was ahead is set right.
    fixture.clock.jump(-45_000);
    onTestFinished(() => fixture.clock.jump(45_000));
    const corrected = await api(fixture).get<Json>(`${PATH}/findings`);
    expect(corrected.body.checked_at).toBe(fixture.clock.now().toISOString());
  });

  it('has the totals of builds, and counts failed deliveries and emails in parts, between which others get their turn', async () => {
    const { app, organization_id: organizationId, android_project_id: projectId } = fixture;
    const text = {
      versionName: '2.0',
      sha256: '',
      objectKey: 'x',
      platform: 'android',
      inspectionStatus: 'ok',
    } as const;
    const webhook = { id: app.ids.next(), organizationId, sealedUrl: '', sealedSecret: '', events: '[]' };
    const event = {
      id: app.ids.next(),
      organizationId,
      type: 'build.uploaded',
      data: '{}',
      details: '{}',
      createdAt: 0,
    };
    const number = { eventId: event.id, subscriptionId: webhook.id, status: 'dead', createdAt: 0 } as const;
    app.db.$client.transaction(() => {
      app.db
        .insert(webhookSubscriptions)
        .values({ ...webhook, format: 'svc', active: true, createdAt: 0 })
        .run();
      app.db
        .insert(outboxEvents)
        .values({ ...event, fannedOutAt: 0 })
        .run();
      // Prepared once, because building a statement takes longer than inserting a row.
      const insertBuild = app.db
        .insert(builds)
        .values({
          ...text,
          id: sql.placeholder('id'),
          organizationId,
          projectId,
          buildNumber: sql.placeholder('buildNumber'),
          sizeBytes: 2,
          uploadedAt: 0,
          pendingUploadId: sql.placeholder('id'),
        })
        .prepare();
      const insertDelivery = app.db
        .insert(webhookDeliveries)
        .values({ id: sql.placeholder('id'), ...number })
        .prepare();
      const insertMail = app.db.$client.prepare(
        `INSERT INTO outbox_mails (id, kind, recipient, subject, text, html, state, next_attempt_at, created_at)
          VALUES (@id, 'code', 'a@example.com', '', '', '', 'sent', @at, 0)`,
      );
      const insertJob = app.db.$client.prepare(
        `INSERT INTO jobs (id, kind, payload, run_at, max_attempts, state, created_at)
          VALUES (@id, @kind, '{}', @at, 1, 'dead', 0)`,
      );
      for (let count = 1; count <= 10_001; count += 1) {
        insertBuild.run({ id: app.ids.next(), buildNumber: count });
        insertDelivery.run({ id: app.ids.next() });
        // The time that many of them have in common is no place to continue at.
        insertMail.run({ id: app.ids.next(), at: count % 2 });
        insertJob.run({ id: app.ids.next(), kind: `kind ${count % 2}`, at: count % 3 });
      }
    })();
    const before = app.db.$client.prepare<[], number>('SELECT count(*) FROM builds').pluck().get();
    const bytes = app.db.$client.prepare<[], number>('SELECT sum(size_bytes) FROM builds').pluck().get();
    const all = { builds: before, bytes };
    expect(totalBuilds(app)).toEqual({ ...all, backends: new Map([['local', all]]) });
    let deliveries: unknown;
    // One part of all webhooks, of which one has too many: then one of its pending and one of its retrying deliveries, and three of its dead ones.
    expect(
      await countTurns(async () => {
        deliveries = await countDeliveries(app);
      }),
    ).toBe(6);
    expect(deliveries).toEqual({ pending: 0, retrying: 0, dead: 10_001 });
    let mails: unknown;
    // One part of pending, kept and failed emails each, and three of sent ones.
    expect(
      await countTurns(async () => {
        mails = await countMails(app);
      }),
    ).toBe(6);
    const sent = app.db.$client
      .prepare<[], number>("SELECT count(*) FROM outbox_mails WHERE state = 'sent'")
      .pluck()
      .get();
    expect(sent).toBeGreaterThan(10_000);
    expect(mails).toMatchObject({ pending: 0, kept: 0, sent });
    let jobs: unknown;
    // One part of waiting jobs, and three of dead ones.
    expect(
      await countTurns(async () => {
        jobs = await countJobs(app);
      }),
    ).toBe(4);
    expect(jobs).toMatchObject({ dead: 10_001 });
    // Emails of one release have the same time. Each part continues at its row, and doesn't read those before it.
    const plans = await plansOf(app.db.$client, () => countMails(app));
    expect(new Set(stepsOn('outbox_mails', plans))).toEqual(
      new Set([
        'SEARCH outbox_mails USING COVERING INDEX outbox_mails_state (state=? AND next_attempt_at=? AND rowid>?)',
        'SEARCH outbox_mails USING COVERING INDEX outbox_mails_state (state=? AND next_attempt_at>?)',
      ]),
    );
    const { text: metrics } = await api(fixture, null).get('/metrics');
    expect(metrics).toContain('taxiway_jobs{state="dead"} 10001\n');
    expect(metrics).toContain('taxiway_webhook_deliveries{status="dead"} 10001\n');
    expect(metrics).toContain(`taxiway_mails{state="sent"} ${sent}\n`);
    const { body } = await api(fixture).get<{ storage: Json; webhook_deliveries: Json; mail: Json }>(PATH);
    expect(body.storage).toMatchObject({ builds: before });
    expect(body.mail).toMatchObject({ sent });
    expect(body.webhook_deliveries).toMatchObject({ dead: 10_001 });
  });

  it('contains the active certificate', async () => {
    await using server = await startFixture({ config: { server: { tls: { mode: 'internal' } } } });
    const actor = { kind: 'developer', id: server.admin.developer_id, isOperator: true };
    const { certificate } = await readSystem({ ...server.app, actor } as DeveloperContext);
    const { expires_at: expiresAt, ...facts } = certificate;
    expect(facts).toEqual({ mode: 'internal', is_https: true, names: ['127.0.0.1', '::1', 'localhost'] });
    expect(Date.parse(expiresAt ?? '')).toBe(server.app.https?.certificate()?.expiresAt);
  });

  it('requires a signed-in operator', async () => {
    const { organization_id: organizationId, admin } = fixture;
    const administrator = await addPerson(fixture, { organizations: { [organizationId]: 'admin' } });
    expectRefusal(await administrator.client.get(PATH), 404, 'not_found');
    expectRefusal(await administrator.client.get(`${PATH}/findings`), 404, 'not_found');
    expectRefusal(await api(fixture, null).get(PATH), 401, 'unauthorized');
    expectRefusal(await api(fixture, fixture.project_access_token).get(PATH), 403, 'permission_denied');
    const owner = { developerId: admin.developer_id, organizationId };
    const token = addPersonalToken(fixture, { ...owner, scopes: 9223372036854775807n });
    expectRefusal(await api(fixture, token).get(PATH), 403, 'permission_denied');
  });

  it('is there while the data folder cannot be reached', async () => {
    const folder = fixture.config.server.data_dir;
    renameSync(folder, `${folder}-elsewhere`);
    try {
      const { status, body } = await api(fixture).get<System>(PATH);
      expect(status).toBe(200);
      expect(body).toMatchObject({ disk: null, storage: { backends: [{ backend: 'local', ok: false }] } });
      const { status: metricsStatus, text } = await api(fixture, null).get('/metrics');
      expect(metricsStatus).toBe(200);
      expect(text).toContain('taxiway_jobs{state="dead"}');
      expect(text).not.toContain('taxiway_disk_');
    } finally {
      renameSync(`${folder}-elsewhere`, folder);
    }
    expect((await api(fixture, null).get('/metrics')).text).toMatch(/^taxiway_disk_free_bytes \d+$/m);
  });

  it('is partly in the metrics', async () => {
    await fixture.sweep('invitations');
    const { text } = await api(fixture, null).get('/metrics');
    expect(text).toMatch(/^taxiway_sweep_last_run_seconds\{sweep="invitations"\} \d/m);
    expect(text).toMatch(/^taxiway_sweep_last_run_removed\{sweep="invitations"\} 0$/m);
    expect(text).toMatch(/^taxiway_sweep_last_run_timestamp_seconds\{sweep="invitations",result="done"\} \d/m);
  });
});
