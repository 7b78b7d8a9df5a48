// Kills the server before single steps of events with webhooks: each event is delivered at least once, with one id.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';
import { createInstallation, createWorkers, type Installation, type ServerRun } from './installation.ts';
import { bundleProgram, type Program } from './program.ts';
import { CRASH_STRIDE, createRandom } from './random.ts';

const POLLING_TIMEOUT_MS = 30_000;

let program: Program;
let receiver: Receiver;
beforeAll(async () => {
  program = await bundleProgram();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
});

interface Event {
  id: string;
  data: string;
}

/** What was recorded, read behind the server's back. */
function readEvents(installation: Installation): Event[] {
  const database = new Sqlite(join(installation.folder, 'data', 'taxiway.db'), { readonly: true });
  try {
    return database.prepare<[], Event>('SELECT id, data FROM outbox_events ORDER BY id').all();
  } finally {
    database.close();
  }
}

/** Events without deliveries yet, and deliveries that haven't succeeded. */
function countOpen(installation: Installation): number {
  const database = new Sqlite(join(installation.folder, 'data', 'taxiway.db'), { readonly: true });
  try {
    const open = `SELECT (SELECT count(*) FROM webhook_deliveries WHERE status <> 'delivered') +
      (SELECT count(*) FROM outbox_events WHERE id NOT IN (SELECT event_id FROM webhook_deliveries))`;
    return database.prepare<[], number>(open).pluck().get() ?? 0;
  } finally {
    database.close();
  }
}

async function arm({ running }: ServerRun): Promise<void> {
  running.child.kill('SIGUSR2');
  while (running.child.signalCode === null && !running.output.stdout.includes('armed\n')) await sleep(5);
}

describe('a server that is killed between an event and its deliveries', () => {
  it('still delivers each event to each subscriber', { timeout: 240_000 }, async () => {
    using installation = await createInstallation(program, { isMigrated: true });
    Object.assign(installation.env, { TAXIWAY_WEBHOOKS__ALLOW_LOOPBACK: 'true' });
    const founding = await installation.start();
    const [worker] = await createWorkers(founding, 1, createRandom(1));
    const { organizationId, projectId, manualChannelId } = worker?.place ?? {};
    const token = worker?.session.accessToken;
    for (const name of ['one', 'two', 'three']) {
      const json = { url: `${receiver.url}/${name}`, events: ['release.created', 'release.deleted'] };
      const answer = await founding.client.ask('POST', `/api/v1/webhooks?organization_id=${organizationId}`, {
        token,
        json,
      });
      expect(answer.status).toBe(201);
    }
    await founding.running.kill();
    const buildId = addBuild(installation, { organizationId, projectId });
    const where = `organization_id=${organizationId}&project_id=${projectId}&channel_id=${manualChannelId}`;
    const answered: string[] = [];
    let deaths = 0;
    for (let dieAt = 1; ; dieAt += CRASH_STRIDE) {
      const serverRun = await installation.start({
        env: { ...installation.env, DIE_AT: String(dieAt) },
        nodeWords: program.dieAtWords,
      });
      await arm(serverRun);
      const { child } = serverRun.running;
      const isAlive = () => child.signalCode === null && child.exitCode === null;
      for (let count = 0; count < 3; count += 1) {
        const json = { build_id: buildId };
        const answer = await serverRun.client
          .ask('POST', `/api/v1/releases?${where}`, { token, json })
          .catch(() => undefined);
        // Without an answer, the server has died, which this process may learn a moment later.
        while (answer === undefined && isAlive()) await sleep(5);
        if (answer?.status === 201) answered.push(String(answer.body.identifier));
      }
      // All steps are over when every delivery is recorded.
      while (isAlive() && countOpen(installation) > 0) await sleep(20);
      const isOver = isAlive();
      serverRun.client.close();
      await serverRun.running.kill();
      if (isOver) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(5);

    const last = await installation.start();
    const events = readEvents(installation);
    const told = JSON.stringify(events.map(({ data }) => data));
    expect(answered.filter((id) => !told.includes(id))).toEqual([]);
    const missing = () =>
      ['/one', '/two', '/three'].flatMap((path) => {
        const ids = new Set(receiver.at(path).map(({ json }) => json.id));
        return events.filter(({ id }) => !ids.has(id)).map(({ id }) => `${path} ${id}`);
      });
    const giveUpAt = Date.now() + POLLING_TIMEOUT_MS;
    while (missing().length > 0 && Date.now() < giveUpAt) await sleep(50);
    expect(missing()).toEqual([]);
    // A kill repeats what was under way, and nothing else: the nine of its run, and those of the run before if that one
    // ended before it had written what became of them.
    const deliveries = receiver.received.map(({ headers }) => headers['x-svc-delivery']);
    expect(new Set(deliveries).size).toBe(events.length * 3);
    expect(deliveries.length - new Set(deliveries).size).toBeLessThan(deaths * 18);
    await last.running.kill();
    process.stdout.write(`webhooks: ${deaths} deaths, ${events.length} events, ${deliveries.length} deliveries\n`);
  });
});

/** A build as a row: how it came there is told elsewhere. */
function addBuild(
  installation: Installation,
  place: { organizationId: string | undefined; projectId: string | undefined },
): string {
  const id = '01900000-0000-7000-8000-00000000b01d';
  const database = new Sqlite(join(installation.folder, 'data', 'taxiway.db'));
  database
    .prepare(
      `INSERT INTO builds (id, organization_id, project_id, platform, version_name, build_number, sha256, size_bytes,
        uploaded_at, object_key, inspection_status, pending_upload_id)
      VALUES (?, ?, ?, 'android', '1.0', 1, ?, 1, 1, 'builds/none', 'ok', ?)`,
    )
    .run(id, place.organizationId, place.projectId, 'a'.repeat(64), id);
  database.close();
  return id;
}
