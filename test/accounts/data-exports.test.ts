// Personal data exports: preparation, expiry, limits and access.
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fromBuffer } from 'yauzl';
import { streamArchive } from '../../src/accounts/exports/archive.ts';
import { collectPersonalData, listPersonalData } from '../../src/accounts/exports/personal-data.ts';
import { prepareExport } from '../../src/accounts/exports/service.ts';
import { systemContext } from '../../src/core/transact.ts';
import { developers } from '../../src/data/tables/tables.ts';
import { DAY, HOUR } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { makeProvider, signAnswer } from '../sso/provider.ts';
import { begin, connect, cookiesOf, deliver } from '../sso/scenario.ts';
import { api, auditMark, auditRows, type Client, createAccount, expectRefusal, signIn } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';

interface Export {
  identifier: string;
  state: string;
  size_bytes: number | null;
  downloads_left: number | null;
  expires_at: string | null;
}

let fixture: Fixture;
let client: Client;
let path: string;

beforeEach(async () => {
  fixture = await startFixture();
  client = api(fixture);
  path = `/api/v1/developers/${fixture.admin.developer_id}/exports`;
});
afterEach(() => fixture.stop());

const request = () => client.post<Export>(path);
const read = (id: string) => client.get<Export>(`/api/v1/exports/${id}`);
const download = (id: string) =>
  client.get<{ download_url: string; expires_at: string }>(`/api/v1/exports/${id}/download`);

/** Moves time and signs in again: access tokens live ten minutes. */
async function wait(milliseconds: number): Promise<void> {
  fixture.clock.advance(milliseconds);
  client = (await signIn(fixture)).client;
}

async function prepare(): Promise<string> {
  const { identifier } = (await request()).body;
  await fixture.drain();
  return identifier;
}

/** The files of an archive with their texts. */
function unzip(bytes: Buffer): Promise<Map<string, string>> {
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true }, (error, zip) => {
      if (error !== null) return reject(error);
      const files = new Map<string, string>();
      zip.on('entry', (entry) => {
        zip.openReadStream(entry, async (failure, stream) => {
          if (failure !== null) return reject(failure);
          const chunks: Buffer[] = [];
          for await (const chunk of stream) chunks.push(Buffer.from(chunk));
          files.set(entry.fileName, Buffer.concat(chunks).toString());
          zip.readEntry();
        });
      });
      zip.on('end', () => resolve(files));
      zip.readEntry();
    });
  });
}

describe('an export', () => {
  it("is prepared, announced by email, and contains the account's data without secrets", async () => {
    const mark = auditMark(fixture);
    const asked = await request();
    expect([asked.status, asked.body]).toEqual([
      202,
      {
        identifier: expect.any(String),
        state: 'preparing',
        size_bytes: null,
        downloads_left: null,
        created_at: expect.any(String),
        ready_at: null,
        expires_at: null,
      },
    ]);
    const id = asked.body.identifier;
    await fixture.drain();
    const ready = (await read(id)).body;
    expect(ready).toMatchObject({ state: 'ready', downloads_left: 20 });
    expect((await client.get<{ items: Export[] }>(path)).body.items).toEqual([ready]);
    const mail = await fixture.mail.waitFor(fixture.admin.email);
    expect(mail.subject).toBe('Your data export is ready');
    expect(mail.text).toContain(`\nOpen your account:\n${fixture.config.server.base_url}/me\n`);

    const link = await download(id);
    const response = await fetch(link.body.download_url);
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="personal-data-.*\.zip"/);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.length).toBe(ready.size_bytes);
    const files = await unzip(bytes);
    expect([...files.keys()]).toEqual(
      expect.arrayContaining(['README.txt', 'account.json', 'sessions.json', 'organizations.json', 'audit_trail.json']),
    );
    expect(JSON.parse(files.get('account.json') ?? '')).toMatchObject({ email: fixture.admin.email });
    expect(JSON.parse(files.get('organizations.json') ?? '')).toMatchObject([
      { id: fixture.organization_id, role: 'admin' },
    ]);
    const everything = [...files.values()].join('\n');
    expect(everything).not.toMatch(/argon2|passwordHash|tokenHash/);
    expect(everything).not.toContain(fixture.admin.refresh_token);

    expect(auditRows(fixture, { after: mark }).map((row) => [row.event, row.type, row.actorKind])).toEqual([
      ['data_export_requested', 'data_export', 'developer'],
      ['data_export_completed', 'data_export', 'system'],
      ['data_export_downloaded', 'data_export', 'developer'],
    ]);
  });

  it('is returned again while it is being prepared, and counts once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, request));
    expect(new Set(answers.map((answer) => answer.body.identifier)).size).toBe(1);
    expect(answers.every((answer) => answer.status === 202)).toBe(true);
  });

  it('is not downloaded by HEAD, whose status is that of GET', async () => {
    const mark = auditMark(fixture);
    const id = await prepare();
    const head = async () => {
      const headers = { authorization: `Bearer ${fixture.admin.access_token}` };
      return (await fetch(`${fixture.url}/api/v1/exports/${id}/download`, { method: 'HEAD', headers })).status;
    };
    expect(await head()).toBe(200);
    expect((await read(id)).body.downloads_left).toBe(20);
    expect(auditRows(fixture, { after: mark }).map((row) => row.event)).not.toContain('data_export_downloaded');
    for (let count = 0; count < 20; count += 1) expect((await download(id)).status).toBe(200);
    expect(await head()).toBe(429);
  });

  it('can be requested once a day; the error explains the limit', async () => {
    await prepare();
    const refused = await request();
    const details = expectRefusal(refused, 429, 'rate_limit_exceeded');
    expect(details).toEqual({
      reason: 'repeat_export_rate_limited',
      explanation: expect.stringContaining('24 hours'),
      right_to_complain: expect.stringContaining('data protection authority'),
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000);
    await wait(DAY - 1000);
    expectRefusal(await request(), 429, 'rate_limit_exceeded');
    await wait(1001);
    expect((await request()).status).toBe(202);
  });

  it('can be requested after a clock that was ahead is corrected, and then once a day', async () => {
    fixture.clock.jump(40 * DAY);
    client = (await signIn(fixture)).client;
    await prepare();
    fixture.clock.jump(-40 * DAY);
    client = (await signIn(fixture)).client;
    expect((await request()).status).toBe(202);
    await fixture.drain();
    expectRefusal(await request(), 429, 'rate_limit_exceeded');
  });

  it('can be requested five times in thirty days', async () => {
    for (let index = 0; index < 5; index++) {
      await prepare();
      await wait(DAY + 1000);
    }
    expectRefusal(await request(), 429, 'rate_limit_exceeded');
    await wait(25 * DAY);
    expect((await request()).status).toBe(202);
  });

  it('can be downloaded twenty times, also with simultaneous requests', async () => {
    const id = await prepare();
    const answers = await Promise.all(Array.from({ length: 30 }, () => download(id)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(20);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(10);
    expect((await read(id)).body.downloads_left).toBe(0);
  });

  it('expires after seven days, and the cleanup job deletes its bytes', async () => {
    const id = await prepare();
    await wait(7 * DAY);
    expect((await read(id)).body.state).toBe('expired');
    expectRefusal(await download(id), 400, 'operation_not_allowed');
    expect(await fixture.sweep('exports')).toBe(1);
    expect(await fixture.sweep('exports')).toBe(0);
    await fixture.drain();
    expect((await fixture.app.storage.list('exports/', { limit: 10 })).items).toEqual([]);
  });

  it('fails if it could not be prepared, and then does not count', async () => {
    fixture.app.storage.put = () => Promise.reject(new Error('no storage'));
    const id = (await request()).body.identifier;
    await fixture.drain();
    expect((await read(id)).body.state).toBe('preparing');
    await wait(HOUR + 1000);
    expect(await fixture.sweep('exports')).toBe(1);
    expect((await read(id)).body.state).toBe('failed');
    expect((await request()).status).toBe(202);
  });

  it('requires a verified address, because others may have used an unverified one', async () => {
    const email = 'somebody.else@example.com';
    const invites = `/api/v1/organizations/${fixture.organization_id}/invites`;
    expect((await client.post(invites, { email, role: 'admin' })).status).toBe(201);
    const account = await createAccount(fixture, { email, isVerified: false });
    const squatter = (await signIn(fixture, account)).client;
    const asked = await squatter.post(`/api/v1/developers/${account.developer_id}/exports`);
    expectRefusal(asked, 403, 'email_not_verified');
  });

  it('contains the actions of other people without their IP addresses', async () => {
    const member = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
    const inOrganization = { organization_id: fixture.organization_id };
    const { body: token } = await member.client.post<Export>('/api/v1/pats', { name: 'ci', scopes: 1 }, inOrganization);
    expect((await client.delete(`/api/v1/pats/${token.identifier}`, inOrganization)).status).toBe(204);
    const asked = await member.client.post<Export>(`/api/v1/developers/${member.id}/exports`);
    await fixture.drain();
    const link = await member.client.get<{ download_url: string }>(`/api/v1/exports/${asked.body.identifier}/download`);
    const files = await unzip(Buffer.from(await (await fetch(link.body.download_url)).arrayBuffer()));
    const trail: unknown[] = JSON.parse(files.get('audit_trail.json') ?? '');
    expect(trail).toMatchObject([
      { type: 'pat', event: 'created', actorId: member.id, ipAddress: '127.0.0.1' },
      { type: 'pat', event: 'revoked', actorId: fixture.admin.developer_id, ipAddress: null },
      { event: 'data_export_requested', actorId: member.id, ipAddress: '127.0.0.1' },
    ]);
  });

  it('leaves no archive if the account is deleted during the preparation', async () => {
    const { app } = fixture;
    const account = await createAccount(fixture);
    const person = (await signIn(fixture, account)).client;
    const { storage } = app;
    const keys: string[] = [];
    app.storage = Object.assign(Object.create(storage), {
      async put(key: string, bytes: Buffer) {
        keys.push(key);
        app.db.delete(developers).where(eq(developers.id, account.developer_id)).run();
        return storage.put(key, bytes);
      },
    });
    const asked = await person.post<Export>(`/api/v1/developers/${account.developer_id}/exports`);
    await fixture.drain();
    app.storage = storage;
    expect(keys).toEqual([`exports/${asked.body.identifier}.zip`]);
    await fixture.drain();
    expect(await storage.head(keys[0] ?? '')).toBeUndefined();
  });

  it('leaves no personal data on the disk after a crash', async () => {
    const id = await prepare();
    const keys = async () => (await fixture.app.storage.list('exports/', { limit: 10 })).items.map(({ key }) => key);
    // As when the server ended after the archive was stored, and the account was deleted before the job ran again.
    const left = `exports/${fixture.app.ids.next()}.zip`;
    await fixture.app.storage.put(left, Buffer.from('personal data'));
    fixture.clock.advance(2 * DAY);
    expect(await fixture.sweep('orphaned-objects')).toBe(1);
    expect(await keys()).toEqual([`exports/${id}.zip`]);
  });

  it('is not available to other people', async () => {
    const id = await prepare();
    const { client: other } = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'admin' } });
    expectRefusal(await other.get(`/api/v1/exports/${id}`), 404, 'not_found');
    expectRefusal(await other.get(`/api/v1/exports/${id}/download`), 404, 'not_found');
    expectRefusal(await other.post(path), 404, 'not_found');
    expectRefusal(await other.get(path), 404, 'not_found');
  });
});

describe('a large archive', () => {
  const MANY = 20_000;
  const database = () => fixture.app.db.$client;

  function addDownloads(): void {
    database()
      .prepare(
        `WITH RECURSIVE numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${MANY})
          INSERT INTO downloads (id, organization_id, project_id, build_id, developer_id, created_at)
          SELECT printf('01900000-0000-7000-8000-%012x', n), 'o', 'p', 'b', ?, n FROM numbers`,
      )
      .run(fixture.admin.developer_id);
  }

  it('is complete JSON', async () => {
    addDownloads();
    const identifier = await prepare();
    const { download_url: url } = (await download(identifier)).body;
    const files = await unzip(Buffer.from(await (await fetch(url)).arrayBuffer()));
    const { developer_id: id } = fixture.admin;
    const written = files.get('downloads.json') ?? '';
    expect(JSON.parse(written)).toHaveLength(MANY);
    const row = {
      file: 'downloads.json',
      text: `${JSON.stringify(collectPersonalData(fixture.app, id).downloads, null, 2)}\n`,
    };
    expect(written === row.text).toBe(true);
    expect(files.get('muted_channels.json')).toBe('[]\n');
    expect(listPersonalData(fixture.app, id).map(({ name }) => name)).toEqual(
      [...files.keys()].slice(1).map((name) => name.replace('.json', '')),
    );
    expect(new Set(files.keys()).size).toBe(files.size);
    expect(files.get('releases_created.json')).toBe('[]\n');
    expect((await read(identifier)).body).toMatchObject({ state: 'ready', size_bytes: expect.any(Number) });
  });

  it('contains the identities at identity providers', async () => {
    const provider = await makeProvider();
    await connect(fixture, provider);
    const { target, cookie } = await begin(fixture);
    const response = await deliver(fixture, signAnswer(provider, target, { nameId: 'zoe-1' }), { cookie });
    const person = api(fixture, /svc_access=([^;]+)/.exec(cookiesOf(response.headers))?.[1] ?? '');
    const { identifier } = (await person.get<{ identifier: string }>('/api/v1/developers/me')).body;
    expect(collectPersonalData(fixture.app, identifier).single_sign_on).toEqual([
      {
        organizationId: fixture.organization_id,
        entityId: provider.entityId,
        nameId: 'zoe-1',
        developerId: identifier,
        createdAt: fixture.clock.now().getTime(),
      },
    ]);
    expect(collectPersonalData(fixture.app, fixture.admin.developer_id).single_sign_on).toEqual([]);
  });

  it('reads pages of 500 rows by index, only as fast as they are written', async () => {
    addDownloads();
    const texts: string[] = [];
    const prepareStatement = database().prepare.bind(database());
    database().prepare = ((text: string) => {
      texts.push(text);
      return prepareStatement(text);
    }) as typeof prepareStatement;
    const subjects = listPersonalData(fixture.app, fixture.admin.developer_id);
    const small = texts.length;
    const pages = subjects.flatMap((subject) => ('pages' in subject ? [...subject.pages()] : []));
    expect(pages.filter((rows) => rows.length > 0).length).toBeGreaterThanOrEqual(MANY / 500);
    expect(Math.max(...pages.map((rows) => rows.length))).toBe(500);
    const plans = [...new Set(texts.slice(small))].map((text) => {
      const asked = text.match(/\?/g)?.map(() => '') ?? [];
      const steps = prepareStatement(`EXPLAIN QUERY PLAN ${text}`).all(asked) as { detail: string }[];
      return steps.map(({ detail }) => detail).join('; ');
    });
    expect(plans.length).toBeGreaterThan(6);
    for (const plan of plans) expect(plan).toMatch(/^SEARCH \w+ USING (COVERING )?INDEX \w+ \([^;]*$/);
    const reading = streamArchive(subjects, fixture.clock.now(), new AbortController().signal);
    await reading.next();
    await reading.return(undefined);
  });

  it('leaves nothing behind when it fails, and the next attempt writes it', async () => {
    addDownloads();
    const { identifier } = (await request()).body;
    fixture.app.jobs.register('prepare-data-export', () => {});
    const ctx = systemContext(fixture.app);
    const stopped = AbortSignal.abort(new Error('the server stops'));
    await expect(prepareExport(ctx, { export_id: identifier }, stopped)).rejects.toThrow('the server stops');
    expect((await fixture.app.storage.list('exports/', { limit: 10 })).items).toEqual([]);
    expect((await read(identifier)).body).toMatchObject({ state: 'preparing' });
    await prepareExport(ctx, { export_id: identifier }, new AbortController().signal);
    expect((await read(identifier)).body).toMatchObject({ state: 'ready' });
  });
});
