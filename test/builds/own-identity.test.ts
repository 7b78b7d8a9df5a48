// Uploads whose version and build number the server reads from the package.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk, buildIpa, sha256 } from '../support/fixtures.ts';
import { auditMark, auditRows, expectRefusal, outboxRows } from '../support/harness.ts';
import { type BuildScenario, complete, type Pending, type Project, sendBytes, startBuildScenario } from './scenario.ts';

let scenario: BuildScenario;
beforeAll(async () => {
  scenario = await startBuildScenario();
});
afterAll(() => scenario?.fixture.stop());

/** Starts an upload with exactly these facts, and sends the package. */
async function send(project: Project, bytes: Buffer, body = {}): Promise<Pending> {
  const { admin } = scenario;
  const answer = await admin.post<Pending>('/api/v1/builds/initiate', body, { ...project });
  expect(answer.status, answer.text).toBe(201);
  expect(await sendBytes(answer.body, bytes)).toBe(201);
  return answer.body;
}

describe('an upload without version and number', () => {
  it('has those of the package, and is recorded once if it is repeated', async () => {
    const { fixture, admin, android } = scenario;
    const bytes = buildApk({ packageName: 'com.example.own' });
    const before = auditMark(fixture);
    const first = await send(android, bytes);
    const built = await complete(admin, android, first.pending_upload_id, sha256(bytes));
    expect(built.status, built.text).toBe(201);
    expect(built.body).toMatchObject({ version_name: '1.2.3', build_number: 45, bundle_identifier: 'com.example.own' });
    const again = await complete(admin, android, first.pending_upload_id, sha256(bytes));
    expect(again.body.identifier).toBe(built.body.identifier);

    const second = await send(android, bytes);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const repeated = await complete(admin, android, second.pending_upload_id, sha256(bytes).toUpperCase());
      expect([repeated.status, repeated.body.identifier]).toEqual([201, built.body.identifier]);
    }
    const rows = auditRows(fixture, { after: before });
    expect(rows.map(({ event, type }) => [event, type])).toEqual([
      ['created', 'build'],
      // The first build sets the identifier of the project.
      ['edited', 'project'],
    ]);
    expect(outboxRows(fixture, 'build.uploaded')).toHaveLength(1);
  });

  it('is refused if another package has them', async () => {
    const { admin, android } = scenario;
    const bytes = buildApk({ packageName: 'com.example.other' });
    const pending = await send(android, bytes);
    const answer = await complete(admin, android, pending.pending_upload_id, sha256(bytes));
    expect(expectRefusal(answer, 409, 'already_exists')).toMatchObject({ claimed_by: 'build' });
  });

  it('is refused if a pending upload has them', async () => {
    const { admin, android } = scenario;
    const bytes = buildApk({ packageName: 'com.example.other' });
    const claim = { version_name: '9.9', build_number: 45 };
    await send(android, bytes, claim);
    const pending = await send(android, bytes, { version_name: '9.9' });
    const answer = await complete(admin, android, pending.pending_upload_id, sha256(bytes));
    expect(expectRefusal(answer, 409, 'already_exists')).toEqual({ claimed_by: 'pending_upload' });
  });

  it('takes what was sent, and the rest from the package', async () => {
    const { admin, android } = scenario;
    const bytes = buildApk({ packageName: 'com.example.own' });
    const pending = await send(android, bytes, { build_number: 4_500 });
    const answer = await complete(admin, android, pending.pending_upload_id, sha256(bytes));
    expect(answer.body).toMatchObject({ version_name: '1.2.3', build_number: 4_500 });
  });

  it("takes the next free number if the package's own is a text", async () => {
    const { admin, ios } = scenario;
    const bytes = buildIpa({ build: '1.0-beta' });
    const next = await admin.get<{ build_number: number }>('/api/v1/builds/next-number', { ...ios });
    const pending = await send(ios, bytes);
    const answer = await complete(admin, ios, pending.pending_upload_id, sha256(bytes));
    expect(answer.body).toMatchObject({ build_number: next.body.build_number, display_build_number: '1.0-beta' });
  });

  it('is refused if the package is unreadable, and can then be replaced', async () => {
    const { admin, android } = scenario;
    const pending = await send(android, Buffer.from('no package'));
    const refused = await complete(admin, android, pending.pending_upload_id);
    expectRefusal(refused, 400, 'invalid_input');
    expect(refused.body.message).toContain('Send version_name and build_number with initiate');
    const bytes = buildApk({ packageName: 'com.example.own', versionCode: 46 });
    expect(await sendBytes(pending, bytes)).toBe(201);
    const answer = await complete(admin, android, pending.pending_upload_id, sha256(bytes));
    expect(answer.body).toMatchObject({ build_number: 46 });
  });
});
