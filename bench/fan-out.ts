// The cost of notifying testers and webhooks about a release: its response time, and reads while mails are written.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { findFreePort } from '../scripts/lib/ports.ts';
import type { App } from '../src/core/context.ts';
import { type Bench, type Kit, median, type Row, ratioRow, takeTurns } from './benchmark.ts';
import { startServer } from './processes.ts';
import { type SeededIds, type ServerFixture, startServerFixture } from './server-fixture.ts';
import { CHANNEL_ID, connect, seed } from './webhooks.ts';

const TESTERS = 10_000;
const WEBHOOKS = 50;
const RELEASES = 4;
const ANSWER_MS = 50;
const POLLING_TIMEOUT_MS = 120_000;
const POLL_MS = 20;

export const fanOutBench: Bench = {
  name: 'fan-out',
  summary: `a release onto a channel with ${TESTERS} testers and ${WEBHOOKS} webhooks, beside one with none`,
  async run(kit) {
    const port = await findFreePort();
    const receiver = await kit.use(
      startServer({
        command: process.execPath,
        args: [join(import.meta.dirname, 'slow-receiver.ts'), String(port), String(ANSWER_MS)],
        url: `http://127.0.0.1:${port}`,
        readyPath: '/',
      }),
    );
    const start = async (name: string, testers: number, webhooks: number) => {
      const folder = join(kit.folder, name);
      const fixture = await kit.use(
        startServerFixture(folder, {
          config: { webhooks: { allow_loopback: true } },
          seed(app, of) {
            seed(app, of, webhooks, `${receiver.url}/${name}`);
            addTesters(app, of, testers);
          },
        }),
      );
      return { fixture, ledger: await kit.use(openLedger(join(folder, 'taxiway.db'))) };
    };
    return measure(kit, await start('crowd', TESTERS, WEBHOOKS), await start('none', 0, 0));
  },
};

interface Side {
  fixture: ServerFixture;
  ledger: Ledger;
}

async function measure(kit: Kit, crowd: Side, none: Side): Promise<Row[]> {
  const samples = await takeTurns(kit.rounds, { crowd: () => timeReleases(crowd), none: () => timeReleases(none) });
  const show = (value: number) => `${value.toFixed(2)} ms`;
  const row = (name: string, pick: (times: Times) => number) => ({
    name,
    measured: samples.crowd.map(pick),
    baseline: samples.none.map(pick),
    show,
    note: `median of ${RELEASES}`,
  });
  const written = median(samples.crowd.map(({ toldMs }) => toldMs));
  return [
    ratioRow({
      ...row(`release to ${TESTERS} testers and ${WEBHOOKS} webhooks`, ({ answerMs }) => answerMs),
      goal: { atMost: 1.5 },
    }),
    {
      name: `until the mails to ${TESTERS} testers are written`,
      measured: `${Math.round(written)} ms`,
      baseline: '',
      ratio: '',
      goal: '',
      isMet: null,
    },
    {
      name: 'slowest read during fan-out',
      measured: show(median(samples.crowd.map(({ slowestReadMs }) => slowestReadMs))),
      baseline: '',
      ratio: '',
      goal: '',
      isMet: null,
    },
  ];
}

interface Times {
  answerMs: number;
  toldMs: number;
  slowestReadMs: number;
}

/** Each release waits until everyone has been notified of the previous one. */
async function timeReleases({ fixture, ledger }: Side): Promise<Times> {
  using client = connect(fixture);
  const answers: number[] = [];
  const told: number[] = [];
  const reads: number[] = [0];
  for (let count = 0; count < RELEASES; count += 1) {
    const startedAt = performance.now();
    answers.push(await client.release());
    while (!ledger.isQuiet()) {
      if (performance.now() - startedAt > POLLING_TIMEOUT_MS)
        throw new Error('The mails about a release were not written');
      reads.push(await client.read());
      await sleep(POLL_MS);
    }
    told.push(performance.now() - startedAt);
    ledger.empty();
    // Wait for the webhook deliveries too.
    await sleep(10 * ANSWER_MS);
  }
  return { answerMs: median(answers), toldMs: median(told), slowestReadMs: Math.max(...reads) };
}

interface Ledger {
  /** Whether all notifications of all releases are written. */
  isQuiet(): boolean;
  /** Deletes mails, which are kept for the operator and would fill the disk. */
  empty(): void;
  stop(): Promise<void>;
}

function openLedger(file: string): Ledger {
  const db = new Sqlite(file, { timeout: 10_000 });
  const open = db.prepare('SELECT count(*) FROM release_announcements WHERE finished_at IS NULL').pluck();
  return {
    isQuiet: () => open.get() === 0,
    empty: () => void db.prepare('DELETE FROM outbox_mails').run(),
    stop: async () => void db.close(),
  };
}

function addTesters(app: App, of: SeededIds, count: number): void {
  const now = app.clock.now().getTime();
  const { $client: client } = app.db;
  client.exec('UPDATE channels SET notify_on_release = 1');
  const id = (kind: string) => `printf('00000000-0000-7000-${kind}-%012x', n)`;
  const numbers = `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})`;
  if (count === 0) return;
  client.exec(`INSERT INTO developers (id, email, email_verified_at, display_name, created_at)
    ${numbers} SELECT ${id('8001')}, 'tester-' || n || '@bench.test', ${now}, 'Tester ' || n, ${now} FROM numbers`);
  client.exec(`INSERT INTO tester_grants (id, organization_id, project_id, channel_id, target_id, email, developer_id,
      created_at, attached_at, notified_at)
    ${numbers} SELECT ${id('8002')}, '${of.organizationId}', '${of.androidProjectId}', '${CHANNEL_ID}', '${CHANNEL_ID}',
      'tester-' || n || '@bench.test', ${id('8001')}, ${now}, ${now}, ${now} FROM numbers`);
}
