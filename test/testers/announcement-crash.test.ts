// Kills the server at random moments while it emails thousands of testers about a release. Each gets exactly one email.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDatabase } from '../../src/data/database.ts';
import { builds, developers, testerGrants } from '../../src/data/tables/tables.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createIds } from '../../src/runtime/ids.ts';
import { createInstallation, createWorkers, type Installation } from '../crash/installation.ts';
import { bundleProgram, type Program } from '../crash/program.ts';
import { CRASH_SEED, createRandom } from '../crash/random.ts';
import type { Worker } from '../crash/worker.ts';

const TESTERS = 3_000;
const MIN_KILLS = 3;
/** After so many lives the server is left alone until it has finished. */
const MAX_KILLS = 6;
const MAX_LIVES = 40;

let program: Program;
let installation: Installation;

beforeAll(async () => {
  process.stdout.write(`crash test of announcements: TAXIWAY_CRASH_SEED=${CRASH_SEED} repeats its choices\n`);
  program = await bundleProgram();
  installation = await createInstallation(program);
});
afterAll(() => {
  installation[Symbol.dispose]();
});

function look<Result>(work: (db: Db) => Result): Result {
  const file = join(installation.folder, 'data', 'taxiway.db');
  const db = openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 5_000 });
  try {
    return work(db);
  } finally {
    db.$client.close();
  }
}

/** Testers and a build, as rows; answers the build's id. */
function fill({ place }: Worker): string {
  const ids = createIds(systemClock);
  const createdAt = Date.now();
  const buildId = ids.next();
  const { organizationId, projectId, manualChannelId } = place;
  look((db) =>
    db.transaction((tx) => {
      tx.insert(builds)
        .values({
          id: buildId,
          organizationId,
          projectId,
          platform: 'android',
          versionName: '1.0',
          buildNumber: 1,
          sha256: 'a'.repeat(64),
          sizeBytes: 1,
          uploadedAt: createdAt,
          objectKey: `builds/${buildId}/package.apk`,
          inspectionStatus: 'unreadable',
          pendingUploadId: ids.next(),
        })
        .run();
      for (let index = 0; index < TESTERS; index += 1) {
        const id = ids.next();
        const email = `${id}@crowd.example`;
        tx.insert(developers).values({ id, email, displayName: 'One', createdAt, emailVerifiedAt: createdAt }).run();
        // Two ways for each: still one mail.
        for (const [channelId, targetId] of [
          [manualChannelId, manualChannelId],
          [null, projectId],
        ] as const) {
          const grant = { organizationId, projectId, channelId, targetId, email, developerId: id, createdAt };
          tx.insert(testerGrants)
            .values({ id: ids.next(), ...grant, attachedAt: createdAt, notifiedAt: createdAt })
            .run();
        }
      }
    }),
  );
  return buildId;
}

const progress = () =>
  look((db) => ({
    isFinished:
      db.$client.prepare('SELECT count(*) FROM release_announcements WHERE finished_at IS NULL').pluck().get() === 0,
    mails: Number(db.$client.prepare("SELECT count(*) FROM outbox_mails WHERE kind = 'release'").pluck().get()),
  }));

/** Waits until the server has written this many more mails, or all of them. */
async function untilWritten(mails: number): Promise<void> {
  const before = progress().mails;
  const enough = () => {
    const now = progress();
    return now.isFinished || now.mails >= before + mails;
  };
  await expect.poll(enough, { interval: 2, timeout: 30_000 }).toBe(true);
}

describe('a server that is killed while it emails testers', () => {
  it('emails everyone exactly once in the end', { timeout: 240_000 }, async () => {
    const random = createRandom(CRASH_SEED);
    const founding = await installation.start();
    const [worker] = (await createWorkers(founding, 1, random)) as [Worker];
    await founding.running.kill();
    const buildId = fill(worker);

    const first = await installation.start();
    const { organizationId, projectId, manualChannelId } = worker.place;
    const query = `organization_id=${organizationId}&project_id=${projectId}&channel_id=${manualChannelId}`;
    const answer = await first.client.ask('POST', `/api/v1/releases?${query}`, {
      json: { build_id: buildId },
      token: worker.session.accessToken,
    });
    expect(answer.status).toBe(201);
    await untilWritten(random.between(1, 60));
    await first.running.kill();

    let killedInTheMiddle = 0;
    for (let life = 1; !progress().isFinished; life += 1) {
      expect(life).toBeLessThanOrEqual(MAX_LIVES);
      const { running, client } = await installation.start();
      // What a dead server had begun waits for the end of its lease; here it is let go at once.
      look((db) => db.$client.prepare('UPDATE jobs SET leased_until = NULL').run());
      // Whatever is recorded wakes the queue.
      const changed = await client.ask('PATCH', `/api/v1/projects/${projectId}`, {
        json: { description: `life ${life}` },
        token: worker.session.accessToken,
      });
      expect(changed.status).toBe(200);
      await untilWritten(life < MAX_KILLS ? random.between(1, 60) : TESTERS);
      await running.kill();
      const { mails, isFinished } = progress();
      if (mails > 0 && !isFinished) killedInTheMiddle += 1;
    }
    const mails = look((db) =>
      db.$client
        .prepare<[], { recipient: string; mails: number }>(
          "SELECT recipient, count(*) AS mails FROM outbox_mails WHERE kind = 'release' GROUP BY recipient",
        )
        .all(),
    );
    expect(mails).toHaveLength(TESTERS);
    expect(mails.filter((row) => row.mails !== 1)).toEqual([]);
    expect(killedInTheMiddle).toBeGreaterThanOrEqual(MIN_KILLS);
    process.stdout.write(`crash test of announcements: killed ${killedInTheMiddle} times in the middle\n`);
  });
});
