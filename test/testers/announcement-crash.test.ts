// Kills the server before single steps while it emails thousands of testers about a release. Each gets exactly one email.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDatabase } from '../../src/data/database.ts';
import { builds, developers, testerGrants } from '../../src/data/tables/tables.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createIds } from '../../src/runtime/ids.ts';
import { createInstallation, createWorkers, type Installation, type ServerRun } from '../crash/installation.ts';
import { bundleProgram, type Program } from '../crash/program.ts';
import { CRASH_SEED, createRandom } from '../crash/random.ts';
import type { Worker } from '../crash/worker.ts';
import { insertRows } from '../support/insert-rows.ts';

const TESTERS = 3_000;
const MIN_KILLS = 5;
/** After so many kills the server is left alone until it has finished. */
const KILLS = 6;
/** More steps than the release itself takes, so that it is answered. */
const STEPS_OF_RELEASE = 100;

let program: Program;
let installation: Installation;

beforeAll(async () => {
  process.stdout.write(`crash test of announcements: TAXIWAY_CRASH_SEED=${CRASH_SEED} repeats its choices\n`);
  program = await bundleProgram();
  installation = await createInstallation(program, { isMigrated: true });
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
  const build = {
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
  } as const;
  const people = Array.from({ length: TESTERS }, () => {
    const id = ids.next();
    return { id, email: `${id}@crowd.example`, displayName: 'One', createdAt, emailVerifiedAt: createdAt };
  });
  // Two ways for each: still one email.
  const grants = people.flatMap(({ id: developerId, email }) =>
    [
      { channelId: manualChannelId, targetId: manualChannelId },
      { channelId: null, targetId: projectId },
    ].map((target) => ({
      ...target,
      id: ids.next(),
      organizationId,
      projectId,
      email,
      developerId,
      createdAt,
      attachedAt: createdAt,
      notifiedAt: createdAt,
    })),
  );
  look((db) => {
    db.insert(builds).values(build).run();
    insertRows(db, developers, people);
    insertRows(db, testerGrants, grants);
  });
  return buildId;
}

const progress = () =>
  look((db) => ({
    isFinished:
      db.$client.prepare('SELECT count(*) FROM release_announcements WHERE finished_at IS NULL').pluck().get() === 0,
    mails: Number(db.$client.prepare("SELECT count(*) FROM outbox_mails WHERE kind = 'release'").pluck().get()),
  }));

/** Starts a server that dies just before its n-th step on disk or database after `arm`, however busy the machine is. */
function startMortal(dieAt: number): Promise<ServerRun> {
  return installation.start({ env: { DIE_AT: String(dieAt) }, nodeWords: program.dieAtWords });
}

async function arm({ running }: ServerRun): Promise<void> {
  running.child.kill('SIGUSR2');
  await expect.poll(() => running.output.stdout, { interval: 5, timeout: 30_000 }).toContain('armed\n');
}

describe('a server that is killed while it emails testers', () => {
  it('emails everyone exactly once in the end', { timeout: 240_000 }, async () => {
    const random = createRandom(CRASH_SEED);
    const founding = await installation.start();
    const [worker] = (await createWorkers(founding, 1, random)) as [Worker];
    await founding.running.kill();
    const buildId = fill(worker);

    const first = await startMortal(random.between(STEPS_OF_RELEASE, STEPS_OF_RELEASE + 500));
    await arm(first);
    const { organizationId, projectId, manualChannelId } = worker.place;
    const query = `organization_id=${organizationId}&project_id=${projectId}&channel_id=${manualChannelId}`;
    const answer = await first.client.ask('POST', `/api/v1/releases?${query}`, {
      json: { build_id: buildId },
      token: worker.session.accessToken,
    });
    expect(answer.status).toBe(201);
    await first.running.ended;

    let killedInTheMiddle = 0;
    for (let life = 1; !progress().isFinished; life += 1) {
      const isLast = life > KILLS;
      const serverRun = isLast ? await installation.start() : await startMortal(random.between(100, 900));
      if (!isLast) await arm(serverRun);
      // What a dead server had begun waits for the end of its lease; here it is let go at once.
      look((db) => db.$client.prepare('UPDATE jobs SET leased_until = NULL').run());
      // Whatever is recorded wakes the queue.
      const changed = await serverRun.client.ask('PATCH', `/api/v1/projects/${projectId}`, {
        json: { description: `life ${life}` },
        token: worker.session.accessToken,
      });
      expect(changed.status).toBe(200);
      if (isLast) await expect.poll(() => progress().isFinished, { timeout: 60_000 }).toBe(true);
      else await serverRun.running.ended;
      await serverRun.running.kill();
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
