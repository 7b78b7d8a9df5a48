// Organizations whose packages are in Azure containers of their own: uploads, downloads, isolation, outages and cleanup.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runSweep } from '../../../src/core/sweeps.ts';
import { systemContext } from '../../../src/core/transact.ts';
import { customerContainers } from '../../../src/data/tables/tables.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/lib/clock.ts';
import { leaveContainer } from '../../../src/storage/azure/containers.ts';
import { complete, initiate, sendBytes, uploadAnswer } from '../../builds/scenario.ts';
import { type AzureFront, startAzureFront } from '../../support/azure-front.ts';
import { type Azurite, startAzurite, whyNoAzurite } from '../../support/azurite.ts';
import { buildApk, sha256 } from '../../support/fixtures.ts';
import { auditMark, auditRows, expectRefusal } from '../../support/harness.ts';
import { mailKinds } from '../../support/mailbox.ts';
import { activate, type CustomerScenario, startCustomerScenario } from './scenario.ts';

const missing = whyNoAzurite();
if (missing !== undefined) process.stdout.write(`organizations with containers skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)('an organization with a container', () => {
  let azurite: Azurite;
  let front: AzureFront;
  let scenario: CustomerScenario;

  beforeAll(async () => {
    azurite = await startAzurite();
    front = await startAzureFront(azurite);
  });
  afterAll(async () => {
    await front?.stop();
    await azurite?.stop();
  });
  beforeEach(async () => {
    front.reset();
    scenario = await startCustomerScenario(front);
  });
  afterEach(() => scenario?.fixture.stop());

  const names = async (container = scenario.container) =>
    (await front.listNames(container)).map((name) => name.replace(/[0-9a-f-]{36}(?=\/(?:pending|builds))/, 'ORG'));
  const storageMails = (fixture: CustomerScenario['fixture']) =>
    mailKinds(fixture, fixture.admin.email).filter((kind) => kind.startsWith('storage_'));
  const download = (identifier: string) => scenario.ci.get(`/api/v1/builds/${identifier}/download`);

  it('uploads to its container, and phones download from there', async () => {
    const { ci, android, fixture } = scenario;
    const bytes = buildApk();
    const pending = await initiate(ci, android);
    const target = new URL(pending.upload_url);
    expect(target.origin).toBe(front.url);
    expect(target.pathname).toBe(
      `/${front.account}/${scenario.container}/${android.organization_id}/pending/${pending.pending_upload_id}`,
    );
    expect(Object.fromEntries(target.searchParams)).toMatchObject({ sr: 'b', sp: 'w' });
    expect(pending.required_headers).toEqual({ 'x-ms-blob-type': 'BlockBlob' });
    expect(await sendBytes({ ...pending, required_headers: {} }, bytes)).toBe(400);
    expect(await sendBytes(pending, bytes)).toBe(201);
    const answer = await complete(ci, android, pending.pending_upload_id, sha256(bytes));
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toMatchObject({ size_bytes: bytes.length, inspection_status: 'ok', has_icon: true });
    await fixture.drain();
    // The icon stays with the server.
    expect(await names()).toEqual([`ORG/builds/${pending.pending_upload_id}/package.apk`]);
    const { body } = await download(String(answer.body.identifier));
    const link = new URL(String(body.download_url));
    expect(link.origin).toBe(front.url);
    expect(Object.fromEntries(link.searchParams)).toMatchObject({ sr: 'b', sp: 'r' });
    const got = await fetch(link);
    expect(sha256(Buffer.from(await got.arrayBuffer()))).toBe(sha256(bytes));
    expect(got.headers.get('content-disposition')).toMatch(/^attachment; filename="[^"]+\.apk"$/);
    expect(got.headers.get('content-type')).toBe('application/vnd.android.package-archive');
    expect((await fetch(link, { method: 'HEAD' })).headers.get('content-length')).toBe(String(bytes.length));
    expect((await fetch(link, { headers: { range: 'bytes=0-3' } })).status).toBe(206);
    expect((await fetch(link, { method: 'PUT', body: 'x', headers: { 'x-ms-blob-type': 'BlockBlob' } })).status).toBe(
      403,
    );
    expect((await fetch(link, { method: 'DELETE' })).status).toBe(403);
    expect((await ci.get(`/api/v1/builds/${answer.body.identifier}/icon`)).status).toBe(200);
  });

  it('keeps nothing that the uploader said about its bytes', async () => {
    const { ci, android } = scenario;
    const bytes = buildApk();
    const pending = await initiate(ci, android);
    const headers = {
      ...pending.required_headers,
      'x-ms-blob-content-encoding': 'gzip',
      'x-ms-blob-content-disposition': 'inline',
      'x-ms-blob-cache-control': 'public, max-age=31536000',
      'x-ms-blob-content-type': 'text/html',
    };
    expect(await sendBytes({ ...pending, required_headers: headers }, bytes)).toBe(201);
    const answer = await complete(ci, android, pending.pending_upload_id, sha256(bytes));
    expect(answer.status, answer.text).toBe(201);
    const { body } = await download(String(answer.body.identifier));
    const got = await fetch(String(body.download_url));
    expect(sha256(Buffer.from(await got.arrayBuffer()))).toBe(sha256(bytes));
    expect(got.headers.get('content-encoding')).toBeNull();
    expect(got.headers.get('cache-control')).toBeNull();
    expect(got.headers.get('content-disposition')).toMatch(/^attachment/);
  });

  it('keeps the builds from before on the server, and goes back for new ones', async () => {
    const { ci, android, fixture, before } = scenario;
    const inContainer = await uploadAnswer(ci, android, buildApk());
    systemContext(fixture.app).transact((tx) => leaveContainer(tx, android.organization_id), { bookkeeping: true });
    const after = await uploadAnswer(ci, android, buildApk());
    const origins: string[] = [];
    for (const { identifier } of [before, inContainer, after]) {
      const { body } = await download(identifier);
      const url = String(body.download_url);
      expect((await fetch(url)).status).toBe(200);
      origins.push(new URL(url).origin);
    }
    const own = new URL(fixture.config.server.base_url).origin;
    expect(origins).toEqual([own, front.url, own]);
  });

  it('completes an upload where it began, if the container changes in between', async () => {
    const { ci, android, fixture } = scenario;
    const bytes = buildApk();
    const pending = await initiate(ci, android);
    await sendBytes(pending, bytes);
    const other = await front.createContainer();
    activate(fixture, front, { organizationId: android.organization_id, container: other });
    const answer = await complete(ci, android, pending.pending_upload_id, sha256(bytes));
    expect(answer.status, answer.text).toBe(201);
    await fixture.drain();
    expect(await names()).toEqual([`ORG/builds/${pending.pending_upload_id}/package.apk`]);
    expect(await names(other)).toEqual([]);
    const next = await uploadAnswer(ci, android, buildApk());
    await fixture.drain();
    expect(await names(other)).toHaveLength(1);
    for (const identifier of [answer.body.identifier, next.identifier]) {
      const { body } = await download(String(identifier));
      expect((await fetch(String(body.download_url))).status).toBe(200);
    }
  });

  it('never shares a blob with another organization, also in the same container', async () => {
    const { fixture, container, second } = scenario;
    activate(fixture, front, { organizationId: second.project.organization_id, container });
    const mine = await uploadAnswer(scenario.ci, scenario.android, buildApk());
    const theirs = await uploadAnswer(second.client, second.project, buildApk());
    await fixture.drain();
    const found = await front.listNames(container);
    expect(found.map((name) => name.split('/')[0]).sort()).toEqual(
      [scenario.android.organization_id, second.project.organization_id].sort(),
    );
    expect((await download(theirs.identifier)).status).toBe(404);
    expect((await download(mine.identifier)).status).toBe(200);
    const { body } = await second.client.get(`/api/v1/builds/${theirs.identifier}/download`);
    const link = new URL(String(body.download_url));
    const other = found.find((name) => name.startsWith(scenario.android.organization_id)) ?? '';
    link.pathname = `/${front.account}/${container}/${other}`;
    expect((await fetch(link)).status).toBe(403);
  });

  it('gets 503 while permission is missing, and nothing else is affected', async () => {
    const { ci, android, second, fixture } = scenario;
    const bytes = buildApk();
    const build = await uploadAnswer(ci, android, bytes);
    const pending = await initiate(ci, android);
    await sendBytes(pending, bytes);
    const link = String((await download(build.identifier)).body.download_url);
    await fixture.drain();
    front.state.role = 'none';
    fixture.clock.advance(2 * SECOND);
    const answers = [
      await complete(ci, android, pending.pending_upload_id, sha256(bytes)),
      await ci.post('/api/v1/builds/initiate', { version_name: '9', build_number: 9 }, { ...android }),
      await download(build.identifier),
    ];
    for (const answer of answers) {
      expectRefusal(answer, 503, 'storage_backend_unavailable');
      expect(answer.headers.get('retry-after')).toBe('5');
    }
    // A link that was signed before doesn't work either.
    expect((await fetch(link)).status).toBe(403);
    expect((await ci.get('/api/v1/builds', { ...android })).status).toBe(200);
    expect((await ci.get(`/api/v1/builds/${build.identifier}/icon`)).status).toBe(200);
    expect((await download(scenario.before.identifier)).status).toBe(200);
    await uploadAnswer(second.client, second.project, buildApk());

    front.state.role = 'contributor';
    fixture.clock.advance(6 * SECOND);
    expect((await download(build.identifier)).status).toBe(200);
    expect((await complete(ci, android, pending.pending_upload_id, sha256(bytes))).status).toBe(201);
  });

  it('gets links that work five minutes after it revoked the delegation keys of its storage account', async () => {
    const { ci, android, fixture } = scenario;
    const bytes = buildApk();
    const { identifier } = await uploadAnswer(ci, android, bytes);
    const linkNow = async () => String((await download(identifier)).body.download_url);
    const before = await linkNow();
    expect((await fetch(before)).status).toBe(200);
    front.state.revokedKey = new URL(before).searchParams.get('skt') ?? '';
    expect((await fetch(before)).status).toBe(403);
    fixture.clock.advance(5 * MINUTE);
    // A key that couldn't be replaced isn't used again.
    front.state.faults.push({ path: /userdelegationkey/, times: 1, status: 403, code: 'AuthorizationFailure' });
    expectRefusal(await download(identifier), 503, 'storage_backend_unavailable');
    fixture.clock.advance(6 * SECOND);
    expect((await fetch(await linkNow())).status).toBe(200);
    expect(await sendBytes(await initiate(ci, android), bytes)).toBe(201);
  });

  it.each(['reader', 'no delete', 'container only', 'none'] as const)(
    'is refused at initiate with the role %s if builds could not be uploaded',
    async (role) => {
      const { ci, android } = scenario;
      front.state.role = role;
      const answer = await ci.post('/api/v1/builds/initiate', { version_name: '9', build_number: 9 }, { ...android });
      if (role === 'no delete') expect(answer.status, answer.text).toBe(201);
      else expectRefusal(answer, 503, 'storage_backend_unavailable');
    },
  );

  it('tells its admins once about an outage that lasts, and about its end', async () => {
    const { ci, android, fixture } = scenario;
    const mark = auditMark(fixture);
    front.state.role = 'none';
    const initiateAgain = () =>
      ci.post('/api/v1/builds/initiate', { version_name: '9', build_number: 9 }, { ...android });
    expectRefusal(await initiateAgain(), 503, 'storage_backend_unavailable');
    const mails = () => storageMails(fixture);
    for (const minutes of [1, 1, 1, 1, 1, 5, 30]) {
      fixture.clock.advance(minutes * MINUTE + SECOND);
      await fixture.drain();
      await initiateAgain();
    }
    expect(mails()).toEqual(['storage_unreachable']);
    front.state.role = 'contributor';
    fixture.clock.advance(31 * MINUTE);
    await fixture.drain();
    expect(mails()).toEqual(['storage_unreachable', 'storage_reachable']);
    expect(auditRows(fixture, { after: mark }).filter(({ type }) => type === 'storage_backend')).toMatchObject([
      { event: 'storage_unreachable', details: { account: front.account, container: scenario.container } },
      { event: 'storage_reachable', details: { account: front.account, container: scenario.container } },
    ]);
    expect((await initiateAgain()).status).toBe(201);
  });

  it('whose secret cannot be decrypted gets 503 too, until it has another one', async () => {
    const { ci, android, fixture, container } = scenario;
    const initiateOne = () =>
      ci.post('/api/v1/builds/initiate', { version_name: '9', build_number: 9 }, { ...android });
    const sealed = fixture.app.secrets.encrypt('x', 'something else');
    fixture.app.db.update(customerContainers).set({ secretEncrypted: sealed, updatedAt: 1 }).run();
    expectRefusal(await initiateOne(), 503, 'storage_backend_unavailable');
    expect((await download(scenario.before.identifier)).status).toBe(200);
    activate(fixture, front, { organizationId: android.organization_id, container });
    expect((await initiateOne()).status).toBe(201);
  });

  it('signs in with its new secret as soon as it is activated', async () => {
    const { ci, android, fixture, container } = scenario;
    const build = await uploadAnswer(ci, android, buildApk());
    front.state.secret = 'another-secret';
    activate(fixture, front, { organizationId: android.organization_id, container });
    const { body } = await download(build.identifier);
    expect((await fetch(String(body.download_url))).status).toBe(200);
    expect(fixture.app.db.$client.prepare('SELECT count(*) FROM customer_containers').pluck().get()).toBe(1);
    const stored = JSON.stringify(fixture.app.db.select().from(customerContainers).all());
    expect(stored).not.toContain('another-secret');
  });

  it('gets no email about a short outage', async () => {
    const { ci, android, fixture } = scenario;
    front.state.role = 'none';
    await ci.post('/api/v1/builds/initiate', { version_name: '9', build_number: 9 }, { ...android });
    front.state.role = 'contributor';
    fixture.clock.advance(MINUTE + SECOND);
    await fixture.drain();
    fixture.clock.advance(HOUR);
    await fixture.drain();
    expect(storageMails(fixture)).toEqual([]);
  });

  it('has deleted builds removed from the container when it can be used again', async () => {
    const { admin, ci, android, fixture, before } = scenario;
    const build = await uploadAnswer(ci, android, buildApk());
    await fixture.drain();
    front.state.role = 'none';
    for (const { identifier } of [build, before]) {
      expect((await admin.delete(`/api/v1/builds/${identifier}`)).status).toBe(204);
    }
    await fixture.drain();
    expect(await names()).toHaveLength(1);
    // The object on the server isn't kept by the one that can't be deleted.
    const local = fixture.app.storage.attached.get('local');
    expect((await local?.list('builds/', { limit: 10 }))?.items.filter(({ key }) => key.endsWith('.apk'))).toEqual([]);
    for (const sweep of fixture.app.sweeps.filter(({ name }) => name === 'orphaned-objects'))
      await runSweep(fixture.app, sweep);
    front.state.role = 'contributor';
    fixture.clock.advance(31 * MINUTE);
    await fixture.drain();
    expect(await names()).toEqual([]);
    expect(
      fixture.app.db.$client.prepare("SELECT count(*) FROM object_places WHERE backend LIKE 'azure:%'").pluck().get(),
    ).toBe(0);
  });

  describe('that is deleted', () => {
    const rows = (sql: string) => scenario.fixture.app.db.$client.prepare(sql).all();
    const cleanUp = async () => {
      const sweep = scenario.fixture.app.sweeps.find(({ name }) => name === 'orphaned-objects');
      if (sweep !== undefined) await runSweep(scenario.fixture.app, sweep);
    };
    const deleteIt = async () => {
      const { admin, android, fixture } = scenario;
      for (const id of [fixture.android_project_id, fixture.ios_project_id]) {
        expect((await admin.delete(`/api/v1/projects/${id}?force=true`)).status).toBe(204);
      }
      await fixture.drain();
      const answer = await admin.delete(`/api/v1/organizations/${android.organization_id}`);
      expect(answer.status, answer.text).toBe(204);
      await fixture.drain();
      await cleanUp();
    };

    it('leaves its packages behind if its container does not respond for 30 days', async () => {
      const { ci, android, fixture, container } = scenario;
      for (const number of [1, 2]) await uploadAnswer(ci, android, buildApk(), { build_number: number + 10 });
      await fixture.drain();
      front.state.role = 'none';
      await deleteIt();
      const stored = await names();
      expect(stored).toHaveLength(2);
      const mark = auditMark(fixture);
      for (const days of [1, 28]) {
        fixture.clock.advance(days * DAY);
        await fixture.drain();
        await cleanUp();
      }
      expect(rows('SELECT account FROM customer_containers')).toHaveLength(1);
      const given = () => auditRows(fixture, { after: mark }).filter(({ event }) => event === 'storage_abandoned');
      expect(given()).toEqual([]);
      fixture.clock.advance(DAY + HOUR);
      await fixture.drain();
      await cleanUp();
      await cleanUp();
      expect(given()).toMatchObject([
        {
          type: 'storage_backend',
          organizationId: null,
          actorKind: 'system',
          details: {
            account: front.account,
            container,
            objects: 2,
            reason: expect.stringContaining('AuthorizationPermissionMismatch'),
          },
        },
      ]);
      expect(rows('SELECT account FROM customer_containers')).toEqual([]);
      expect(rows("SELECT * FROM object_places WHERE backend LIKE 'azure:%' OR left_backend LIKE 'azure:%'")).toEqual(
        [],
      );
      expect(rows('SELECT * FROM doomed_objects')).toEqual([]);
      expect(await names()).toEqual(stored);
      // The jobs for it end.
      fixture.clock.advance(HOUR);
      await fixture.drain();
      expect(rows("SELECT kind FROM jobs WHERE state = 'dead' OR kind = 'check-container'")).toEqual([]);
    });

    it('leaves packages behind that its container does not let anyone delete for 90 days', async () => {
      const { ci, android, fixture } = scenario;
      await uploadAnswer(ci, android, buildApk(), { build_number: 11 });
      await fixture.drain();
      front.state.faults = [{ method: 'DELETE', path: /builds/, status: 409, code: 'BlobImmutableDueToPolicy' }];
      await deleteIt();
      for (const days of [88, 1]) {
        fixture.clock.advance(days * DAY);
        await fixture.drain();
        await cleanUp();
      }
      expect(rows('SELECT account FROM customer_containers')).toHaveLength(1);
      expect(rows('SELECT * FROM doomed_objects')).toHaveLength(1);
      const mark = auditMark(fixture);
      fixture.clock.advance(DAY + HOUR);
      await fixture.drain();
      await cleanUp();
      expect(auditRows(fixture, { after: mark })).toMatchObject([
        { event: 'storage_abandoned', details: { objects: 1, account: front.account } },
      ]);
      expect([rows('SELECT account FROM customer_containers'), rows('SELECT * FROM doomed_objects')]).toEqual([[], []]);
      expect(await names()).toHaveLength(1);
    });

    it('has its packages deleted if its container responds again before', async () => {
      const { ci, android, fixture } = scenario;
      await uploadAnswer(ci, android, buildApk(), { build_number: 11 });
      await fixture.drain();
      front.state.role = 'none';
      await deleteIt();
      fixture.clock.advance(29 * DAY);
      front.state.role = 'contributor';
      await fixture.drain();
      fixture.clock.advance(2 * DAY);
      await fixture.drain();
      await cleanUp();
      expect(await names()).toEqual([]);
      expect(rows('SELECT account FROM customer_containers')).toEqual([]);
    });
  });

  it('is shown to the operator with its container', async () => {
    const { ci, android, fixture, admin, container } = scenario;
    const build = await uploadAnswer(ci, android, buildApk());
    await fixture.drain();
    const read = async () => (await admin.get<{ storage: { containers: unknown } }>('/api/v1/system')).body.storage;
    const item = {
      organization_id: android.organization_id,
      organization_name: expect.any(String),
      storage_account: front.account,
      container,
      is_active: true,
      builds: 1,
      build_bytes: expect.any(Number),
      unavailable_since: null,
      last_error: null,
    };
    expect((await read()).containers).toEqual({ count: 1, items: [item] });
    front.state.role = 'none';
    fixture.clock.advance(2 * SECOND);
    expectRefusal(await download(build.identifier), 503, 'storage_backend_unavailable');
    expect((await read()).containers).toMatchObject({
      items: [{ unavailable_since: expect.any(String), last_error: expect.stringContaining('403') }],
    });
  });

  const isOutOfService = ({ app }: CustomerScenario['fixture']) =>
    app.db.select().from(customerContainers).all()[0]?.unreachableSince !== null;

  it('has uploads deleted that their uploader has leased or taken a snapshot of, without an outage', async () => {
    const { ci, android, fixture } = scenario;
    const bytes = buildApk();
    const operations: [string, Record<string, string>][] = [
      ['lease', { 'x-ms-lease-action': 'acquire', 'x-ms-lease-duration': '-1' }],
      ['snapshot', {}],
    ];
    const kept: string[] = [];
    for (const [operation, headers] of operations) {
      const pending = await initiate(ci, android);
      expect(await sendBytes(pending, bytes)).toBe(201);
      const url = `${pending.upload_url}&comp=${operation}`;
      expect((await fetch(url, { method: 'PUT', headers })).status).toBe(201);
      const answer = await complete(ci, android, pending.pending_upload_id, sha256(bytes));
      expect(answer.status, answer.text).toBe(201);
      await fixture.drain();
      kept.push(`ORG/builds/${pending.pending_upload_id}/package.apk`);
      expect(await names()).toEqual(kept);
      expect(isOutOfService(fixture)).toBe(false);
    }
    expect(fixture.app.db.$client.prepare('SELECT count(*) FROM doomed_objects').pluck().get()).toBe(0);
  });

  it('is in service although a package cannot be deleted because of a lease', async () => {
    const { admin, ci, android, fixture } = scenario;
    const build = await uploadAnswer(ci, android, buildApk());
    await fixture.drain();
    // As if someone takes it again and again.
    front.state.faults.push({ method: 'DELETE', status: 412, code: 'LeaseIdMissing' });
    expect((await admin.delete(`/api/v1/builds/${build.identifier}`)).status).toBe(204);
    await fixture.drain();
    expect(await names()).toHaveLength(1);
    expect(isOutOfService(fixture)).toBe(false);
    await initiate(ci, android);
    front.state.faults.length = 0;
    for (const sweep of fixture.app.sweeps.filter(({ name }) => name === 'orphaned-objects'))
      await runSweep(fixture.app, sweep);
    expect(await names()).toEqual([]);
  });

  it('is not asked for each of many packages to delete while it cannot be used', async () => {
    const { android, fixture } = scenario;
    const { storage } = fixture.app;
    const container = storage.at(storage.placeForNew(android.organization_id));
    const keys = Array.from({ length: 100 }, () => `pending/${fixture.app.ids.next()}`);
    expect(await container.deleteMany(keys)).toEqual([]);
    front.state.role = 'no delete';
    front.log.length = 0;
    expect((await container.deleteMany(keys)).map(({ key }) => key).sort()).toEqual(keys);
    expect(front.log.length).toBeLessThanOrEqual(8);
  });

  it('has bytes removed that appear again after complete, and uploads that nobody completes', async () => {
    const { ci, android, fixture } = scenario;
    const bytes = buildApk();
    const pending = await initiate(ci, android);
    await sendBytes(pending, bytes);
    expect((await complete(ci, android, pending.pending_upload_id, sha256(bytes))).status).toBe(201);
    await fixture.drain();
    expect(await sendBytes(pending, Buffer.from('something else'))).toBe(201);
    expect(await names()).toHaveLength(2);
    fixture.clock.advance(HOUR + SECOND);
    await fixture.drain();
    expect(await names()).toEqual([`ORG/builds/${pending.pending_upload_id}/package.apk`]);
    const abandoned = await initiate(ci, android);
    await sendBytes(abandoned, bytes);
    fixture.clock.advance(HOUR + SECOND);
    for (const name of ['pending-uploads', 'orphaned-objects']) {
      const sweep = fixture.app.sweeps.find((one) => one.name === name);
      if (sweep !== undefined) await runSweep(fixture.app, sweep);
    }
    await fixture.drain();
    expect(await names()).toEqual([`ORG/builds/${pending.pending_upload_id}/package.apk`]);
  });
});
