// An organization that completes many uploads concurrently doesn't delay others, and is rejected itself.

import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createInspector, inspectorOf } from '../../src/inspection/run.ts';
import { buildApk, sha256 } from '../support/fixtures.ts';
import { expectRefusal, type Json } from '../support/harness.ts';
import {
  type BuildScenario,
  complete,
  initiate,
  type Project,
  sendBytes,
  startBuildScenario,
  uploadBuild,
} from './scenario.ts';

const workerEntry = resolve(import.meta.dirname, '../../src/inspection/worker.ts');

it('an organization that fills its inspection queue is rejected, and others are served', async () => {
  await using scenario = await startBuildScenario();
  const { fixture, ci, admin, android } = scenario;
  const inspector = inspectorOf(fixture.app);
  const small = createInspector({
    workerEntry,
    timeoutMs: 60_000,
    maxMemoryMb: 128,
    concurrency: 2,
    maxWaitingOfOwner: 2,
  });
  onTestFinished(() => small.close());
  const gate = Promise.withResolvers<void>();
  let asked = 0;
  inspector.inspect = (source, platform, owner) => {
    if (owner !== android.organization_id) return small.inspect(source, platform, owner);
    asked += 1;
    const read = async (offset: number, length: number) => {
      await gate.promise;
      return source.read(offset, length);
    };
    return small.inspect({ size: source.size, read }, platform, owner);
  };

  const bytes = buildApk();
  const many = [];
  for (let index = 0; index < 5; index += 1) {
    const pending = await initiate(ci, android);
    expect(await sendBytes(pending, bytes)).toBe(201);
    many.push(pending.pending_upload_id);
  }
  const answers = many.map((id) => complete(ci, android, id, sha256(bytes)));
  while (asked < 5) await sleep(2);

  const elsewhere = await addProjectElsewhere(scenario);
  const build = await uploadBuild(admin, elsewhere, bytes);
  expect(build.inspection_status).toBe('ok');

  gate.resolve();
  const settled = await Promise.all(answers);
  expect(settled.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 503, 503]);
  for (const answer of settled.filter(({ status }) => status === 503)) {
    expectRefusal(answer, 503, 'storage_backend_unavailable');
    expect(answer.headers.get('retry-after')).toBe('5');
  }
  // A refused upload can be completed later.
  for (const id of many) expect((await complete(ci, android, id, sha256(bytes))).status).toBe(201);
});

it('keeps the ends of at most 16 packages in memory, 8 of them of one organization', async () => {
  await using scenario = await startBuildScenario();
  const { fixture, ci, android } = scenario;
  const { storage } = fixture.app;
  const inspector = inspectorOf(fixture.app);
  const { inspect } = inspector;
  const gate = Promise.withResolvers<void>();
  let asked = 0;
  inspector.inspect = async (...request) => {
    asked += 1;
    await gate.promise;
    return inspect(...request);
  };
  const { head } = storage;
  const tails: boolean[] = [];
  storage.head = (key, options) => {
    if (key.startsWith('pending/')) tails.push((options?.tailBytes ?? 0) > 0);
    return head(key, options);
  };

  const bytes = buildApk();
  const ids: string[] = [];
  for (let index = 0; index < 10; index += 1) {
    const pending = await initiate(ci, android);
    expect(await sendBytes(pending, bytes)).toBe(201);
    ids.push(pending.pending_upload_id);
  }
  const completeAll = (some: readonly string[]) => some.map((id) => complete(ci, android, id, sha256(bytes)));
  const answers = completeAll(ids.slice(0, 9));
  while (asked < 9) await sleep(2);
  expect(tails.filter(Boolean)).toHaveLength(8);
  expect(tails).toHaveLength(9);
  const completeElsewhere = async (project: Project): Promise<void> => {
    const pending = await initiate(scenario.admin, project);
    expect(await sendBytes(pending, bytes)).toBe(201);
    answers.push(complete(scenario.admin, project, pending.pending_upload_id, sha256(bytes)));
    while (asked < answers.length) await sleep(2);
  };
  const second = await addProjectElsewhere(scenario);
  for (let index = 0; index < 8; index += 1) await completeElsewhere(second);
  expect(tails.filter(Boolean)).toHaveLength(16);
  await completeElsewhere(await addProjectElsewhere(scenario));
  expect(tails.filter(Boolean)).toHaveLength(16);
  expect(tails).toHaveLength(18);
  gate.resolve();
  const settled = await Promise.all(answers);
  // Those of one organization are the same package: the first is a build, and the others end as that build.
  expect(settled.map(({ status }) => status)).toEqual(Array(18).fill(201));
  const [last] = await Promise.all(completeAll(ids.slice(9)));
  expect([last?.status, tails.at(-1)]).toEqual([201, true]);
});

/** Adds a project in another organization of the same administrator. */
async function addProjectElsewhere({ admin }: BuildScenario): Promise<Project> {
  const organization = (await admin.post('/api/v1/organizations', { name: 'Elsewhere' })).text;
  const project = await admin.post<Json>(
    '/api/v1/projects',
    { name: 'Other', platform: 'android' },
    { organization_id: organization },
  );
  return { organization_id: organization, project_id: String(project.body.identifier) };
}
