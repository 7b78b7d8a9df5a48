// Feedback: sent from apps and install pages, read and answered by members, exported and deleted.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { collectPersonalData } from '../../src/accounts/exports/personal-data.ts';
import type { ProjectContext } from '../../src/core/context.ts';
import { removeRow } from '../../src/core/removal.ts';
import { systemContext } from '../../src/core/transact.ts';
import { builds, channels, feedback, feedbackPictures, organizations } from '../../src/data/tables/tables.ts';
import { MAX_BYTES_PER_PROJECT, MAX_PER_HOUR } from '../../src/feedback/limits.ts';
import { exportFeedback } from '../../src/feedback/service.ts';
import { HOUR } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { type SdkScenario, startSdkScenario } from '../sdk/scenario.ts';
import { assemblePng, buildPng } from '../support/fixtures.ts';
import { ABSENT, api, auditRows, expectInvalid, expectRefusal, type Json, outboxRows } from '../support/harness.ts';
import { addPerson, type Person, signInPerson } from '../support/people.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { startWebhookScenario } from '../webhooks/scenario.ts';
import { browse, type Sent, sendFromApp } from './scenario.ts';

interface Shown extends Json {
  identifier: string;
  state: string;
  text: string;
  pictures: { identifier: string; url: string; type: string; width: number; size_bytes: number }[];
  replies: { text: string; author_name: string | null }[];
}

let fixture: Fixture;
let sdk: SdkScenario;
let releaseId: string;
let token: string;
let reader: Person;
let stranger: Person;
const path = () => `/api/v1/projects/${fixture.android_project_id}/feedback`;

beforeAll(async () => {
  fixture = await startFixture();
  sdk = await startSdkScenario(fixture);
  releaseId = await sdk.release('1.4.0', 77);
  reader = await addPerson(fixture, {
    organizations: { [fixture.organization_id]: 'member' },
    projects: { [fixture.android_project_id]: 'read' },
  });
  stranger = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
});
afterAll(() => fixture?.stop());
beforeEach(async () => {
  fixture.clock.advance(2 * HOUR);
  const enrolled = await sdk.enroll({
    device_model: 'Pixel 9',
    os_version: '16',
    version_name: '1.4.0',
    build_number: 77,
  });
  token = enrolled.update_token;
  for (const person of [reader, stranger]) {
    person.accessToken = await signInPerson(fixture, person);
    person.client = api(fixture, person.accessToken);
  }
});

const send = (sent: Sent) => sendFromApp(sdk, fixture, token, sent);
async function sendOne(sent: Sent = { text: 'It crashes' }): Promise<string> {
  const answer = await send(sent);
  expect(answer.status, answer.text).toBe(201);
  return String(answer.body.identifier);
}
async function show(id: string): Promise<Shown> {
  return (await (await sdk.staff()).get<Shown>(`${path()}/${id}`)).body;
}

describe('a locked organization', () => {
  it.each(['suspended', 'awaiting_payment', 'grace'] as const)(
    'that is %s takes no feedback, from apps or pages',
    async (lockReason) => {
      const { db } = fixture.app;
      const lock = (reason: typeof lockReason | null) =>
        db.update(organizations).set({ lockReason: reason }).where(eq(organizations.id, fixture.organization_id)).run();
      const before = db.select().from(feedback).all().length;
      const open = (isPublic: boolean) =>
        db.update(channels).set({ isPublic }).where(eq(channels.id, sdk.channelId)).run();
      open(true);
      expect((await browse(fixture, `/install/channels/${sdk.channelId}`)).html).toContain('Send feedback');
      lock(lockReason);
      const refused = await send({ text: 'It crashes', pictures: [buildPng(8, 8)] });
      expect(refused.status).toBe(402);
      expect(refused.body.details).toEqual({ lock_reason: lockReason });
      const page = await browse(fixture, `/install/channels/${sdk.channelId}/feedback`, undefined, {
        text: 'It crashes',
      });
      expect(page.status).toBe(402);
      // Nobody writes what is refused.
      const form = await browse(fixture, `/install/channels/${sdk.channelId}/feedback`);
      expect([form.status, form.title]).toEqual([402, page.title]);
      expect((await browse(fixture, `/install/channels/${sdk.channelId}`)).html).not.toContain('Send feedback');
      expect(page.title).toBe('Currently not available');
      expect(page.html).not.toMatch(/billing|payment|paid|trial|suspended/i);
      expect(db.select().from(feedback).all()).toHaveLength(before);
      lock(null);
      open(false);
      await sendOne();
    },
  );
});

describe('feedback from an app', () => {
  it('contains the device, version and release of the install, and is an event', async () => {
    const id = await sendOne({
      text: '  It crashes\nwhen I sign in ',
      email: 'Tess@Example.com',
      pictures: [buildPng(4, 3)],
    });
    const shown = await show(id);
    expect(shown).toMatchObject({
      identifier: id,
      project_id: fixture.android_project_id,
      source: 'sdk',
      state: 'open',
      text: 'It crashes\nwhen I sign in',
      author: null,
      contact_email: 'tess@example.com',
      can_reply: true,
      channel_id: sdk.channelId,
      release_id: releaseId,
      version_name: '1.4.0',
      build_number: '77',
      device_model: 'Pixel 9',
      os_version: '16',
      replies: [],
      state_changed_at: null,
    });
    expect(shown.pictures).toMatchObject([{ type: 'image/png', width: 4, height: 3 }]);
    expect(auditRows(fixture, { identifier: id })).toMatchObject([
      { event: 'created', type: 'feedback', details: { source: 'sdk', version_name: '1.4.0', pictures: 1 } },
    ]);
    const { data, details } = outboxRows(fixture, 'feedback.received').at(-1) ?? {};
    expect(data).toEqual({
      feedback_id: id,
      channel_id: sdk.channelId,
      release_id: releaseId,
      build_id: shown.build_id,
    });
    // Neither what the tester wrote nor who it was.
    expect(JSON.stringify([data, details])).not.toMatch(/tess|crashes/i);
  });

  it('prefers what the app sends over what the install reported', async () => {
    const id = await sendOne({
      text: 'x',
      version_name: '1.3.0',
      build_number: '70',
      device_model: 'Tablet',
      os_version: '15',
    });
    expect(await show(id)).toMatchObject({
      version_name: '1.3.0',
      build_number: '70',
      device_model: 'Tablet',
      os_version: '15',
      release_id: null,
      build_id: null,
      can_reply: false,
    });
  });

  it('has the number of the running build as people see it, also if the install reported the one derived from it', async () => {
    const ios = await startSdkScenario(fixture, 'ios');
    const id = await ios.release('2.0', 1_002_003);
    fixture.app.db.update(builds).set({ packageBuildNumber: '1.2.3' }).where(eq(builds.versionName, '2.0')).run();
    const enrolled = await ios.enroll({ version_name: '2.0', build_number: 1_002_003 });
    const answer = await sendFromApp(ios, fixture, enrolled.update_token, { text: 'x' });
    expect(answer.status, answer.text).toBe(201);
    const path = `/api/v1/projects/${fixture.ios_project_id}/feedback/${answer.body.identifier}`;
    expect((await (await ios.staff()).get(path)).body).toMatchObject({ release_id: id, build_number: '1.2.3' });
  });

  it('needs a valid token', async () => {
    expectRefusal(await sendFromApp(sdk, fixture, 'svc_upd_wrong', { text: 'x' }), 401, 'unauthorized');
    expect((await api(fixture, null).send('POST', '/sdk/v1/feedback', {})).status).toBe(401);
  });

  it('is refused if its SDK app is revoked while its picture is being stored, and the picture is deleted', async () => {
    const other = await sdk.addApp();
    const enrolled = await sdk.enroll({}, other);
    const staff = await sdk.staff();
    const { storage } = fixture.app;
    const put = vi.spyOn(storage, 'put').mockImplementationOnce(async (...words) => {
      put.mockRestore();
      expect((await staff.post(`/api/v1/sdk-apps/${other.identifier}/revoke`)).status).toBe(204);
      return storage.put(...words);
    });
    const stored = async () => (await storage.list('feedback/', { limit: 1_000 })).items.length;
    const before = [await stored(), fixture.app.db.select().from(feedback).all().length];
    const sent = { text: 'late', pictures: [buildPng(2, 2)] };
    const answer = await sendFromApp({ ...sdk, app: other }, fixture, enrolled.update_token, sent);
    expectRefusal(answer, 401, 'unauthorized');
    expect([await stored(), fixture.app.db.select().from(feedback).all().length]).toEqual(before);
  });

  it('is refused without text, with too much of anything, and with other files', async () => {
    expectInvalid(await send({ text: ' \n ' }), 'body.text: string_too_short');
    expectInvalid(await send({ text: 'x'.repeat(4_001) }), 'body.text: string_too_long');
    expectInvalid(await send({ text: 'x', email: 'nobody' }), 'body.email: value_error');
    const picture = buildPng(2, 2);
    expectInvalid(await send({ text: 'x', pictures: Array(6).fill(picture) }), 'body.pictures: too_long');
    const refused = await send({ text: 'x', pictures: [picture, Buffer.from('<svg onload="alert(1)">')] });
    expect(expectRefusal(refused, 400, 'invalid_input')).toEqual({ field: 'pictures' });
    const damaged = await send({ text: 'x', pictures: [picture.subarray(0, picture.length - 20)] });
    expect(expectRefusal(damaged, 400, 'invalid_input')).toEqual({ field: 'pictures' });
    const large = await send({ text: 'x', pictures: [Buffer.alloc(5 * 1024 * 1024 + 1)] });
    expectRefusal(large, 413, 'payload_too_large');
    expect(
      (
        await api(fixture, token).send('POST', '/sdk/v1/feedback', {
          body: { text: 'x' },
          headers: { 'x-svc-app-key': sdk.app.app_key },
        })
      ).status,
    ).toBe(415);
  });

  it('is limited for each install, in an hour', async () => {
    for (let sent = 0; sent < MAX_PER_HOUR; sent += 1) await sendOne({ text: `number ${sent}` });
    const refused = await send({ text: 'one more' });
    expectRefusal(refused, 429, 'rate_limit_exceeded');
    expect(refused.headers.get('retry-after')).toBe('3600');
    fixture.clock.advance(HOUR);
    await sendOne({ text: 'later' });
  });

  it('is limited for each project, and keeps no object of what was refused', async () => {
    const id = await sendOne();
    const { app } = fixture;
    const before = app.db.select().from(feedbackPictures).all().length;
    app.db.update(feedback).set({ pictureBytes: MAX_BYTES_PER_PROJECT }).where(eq(feedback.id, id)).run();
    try {
      expectRefusal(await send({ text: 'x', pictures: [buildPng(2, 2)] }), 400, 'quota_exceeded');
      expect(app.db.select().from(feedbackPictures).all().length).toBe(before);
    } finally {
      app.db.update(feedback).set({ pictureBytes: 0 }).where(eq(feedback.id, id)).run();
    }
  });
});

describe('a picture', () => {
  it('is stored without what the camera wrote, and saved as a file', async () => {
    const plain = buildPng(2, 2);
    const chunks: [string, Buffer][] = [];
    for (let at = 8; at < plain.length; ) {
      const length = plain.readUInt32BE(at);
      chunks.push([plain.toString('latin1', at + 4, at + 8), plain.subarray(at + 8, at + 8 + length)]);
      at += 12 + length;
    }
    const [head, ...rest] = chunks;
    const tagged = assemblePng([
      head ?? ['IHDR', Buffer.alloc(0)],
      ['tEXt', Buffer.from('Comment\0taken at home')],
      ['eXIf', Buffer.from('MM\0*\0\0\0\bGPS 52.5 13.4')],
      ...rest,
    ]);
    const id = await sendOne({ text: 'x', pictures: [tagged] });
    const [picture] = (await show(id)).pictures;
    const url = new URL(picture?.url ?? '').pathname;
    const answer = await fetch(fixture.url + url, { headers: { authorization: `Bearer ${reader.accessToken}` } });
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'attachment; filename="feedback-1.png"',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes).toEqual(plain);
    expect((await stranger.client.get(url)).status).toBe(404);
    expect((await reader.client.get(url.replace(id, ABSENT))).status).toBe(404);
  });
});

describe('feedback from the install page', () => {
  const page = (channelId: string) => `/install/channels/${channelId}/feedback`;

  it('is sent by visitors of a public channel, with an address or without', async () => {
    const form = await browse(fixture, page(fixture.channel_id));
    expect([form.status, form.title]).toEqual([200, 'Send feedback']);
    expect(form.html).toContain('enctype="multipart/form-data"');
    const sent = await browse(fixture, page(fixture.channel_id), undefined, {
      text: 'The\r\nbutton is gone',
      email: 'visitor@example.com',
      pictures: [buildPng(2, 2)],
    });
    expect([sent.status, sent.title]).toEqual([200, 'Thank you']);
    const { body } = await (await sdk.staff()).get<{ items: Shown[] }>(path(), { source: 'install_page' });
    expect(body.items[0]).toMatchObject({
      text: 'The\nbutton is gone',
      contact_email: 'visitor@example.com',
      device_model: 'Android',
      os_version: '14',
      author: null,
      channel_id: fixture.channel_id,
    });
  });

  it('shows what the team sees besides the text, also before the first release', async () => {
    const form = await browse(fixture, page(fixture.channel_id));
    expect(form.html).toContain('The team also sees the type and system version of your device.');
    const own = await browse(fixture, page(fixture.channel_id), stranger);
    expect(own.html).toContain(
      'The team also sees your name, your email address, and the type and system version of your device.',
    );
    const { body } = await (await sdk.staff()).post<{ identifier: string }>(
      '/api/v1/channels',
      { name: 'Without a release', public: true },
      { organization_id: fixture.organization_id, project_id: fixture.android_project_id },
    );
    const empty = await browse(fixture, page(body.identifier));
    expect(empty.html).toContain('The team also sees the type and system version of your device.');
    expect(empty.html).not.toContain('About version');
  });

  it('shows the form again with what was written, and the problem', async () => {
    const long = await browse(fixture, page(fixture.channel_id), undefined, { text: '<b>'.repeat(1_400) });
    expect(long.status).toBe(400);
    expect(long.html).toContain('at most 4,000 characters');
    expect(long.html).toContain('&lt;b&gt;');
    const bad = await browse(fixture, page(fixture.channel_id), undefined, {
      text: 'words to keep',
      pictures: [Buffer.from('no picture')],
    });
    expect([bad.status, bad.html.includes('words to keep')]).toEqual([400, true]);
    expect(bad.html).toContain('must be complete PNG, JPEG or WebP');
    expect((await browse(fixture, page(fixture.channel_id), undefined, { text: ' ' })).status).toBe(400);
  });

  it.each([
    ['six pictures', 400, Array.from({ length: 6 }, () => buildPng(2, 2))],
    ['forty pictures', 400, Array.from({ length: 40 }, () => buildPng(2, 2))],
    ['a large picture', 413, [Buffer.alloc(5 * 1024 * 1024 + 1)]],
  ])('shows the form again for %s', async (_what, status, pictures) => {
    const before = fixture.app.db.select().from(feedback).all().length;
    const shown = await browse(fixture, page(fixture.channel_id), undefined, { text: 'words to keep', pictures });
    expect([shown.status, shown.title]).toEqual([status, 'Send feedback']);
    expect(shown.html).toContain('words to keep');
    expect(shown.html).toContain('Choose at most 5 pictures of up to 5 MB each.');
    expect(fixture.app.db.select().from(feedback).all()).toHaveLength(before);
  });

  it('of a private channel needs the same access as the page itself', async () => {
    const member = await addPerson(fixture, {
      organizations: { [fixture.organization_id]: 'member' },
      projects: { [fixture.android_project_id]: 'read_download' },
    });
    const install = await browse(fixture, `/install/channels/${sdk.channelId}`, member);
    expect(install.html).toContain(`/install/channels/${sdk.channelId}/feedback"`);
    const count = () => fixture.app.db.select().from(feedback).all().length;
    const before = count();
    const missing = await browse(fixture, page(ABSENT), stranger);
    const refused = await browse(fixture, page(sdk.channelId), stranger, { text: 'let me in' });
    expect([refused.status, refused.title]).toEqual([missing.status, missing.title]);
    expect((await browse(fixture, page(sdk.channelId), undefined, { text: 'x' })).status).toBe(404);
    expect(count()).toBe(before);
    const sent = await browse(fixture, page(sdk.channelId), member, {
      text: 'From my apps',
      from: 'my-apps',
      email: 'a@b.example',
    });
    expect(sent.title).toBe('Thank you');
    const { body } = await (await sdk.staff()).get<{ items: Shown[] }>(path(), { source: 'my_apps' });
    expect(body.items[0]).toMatchObject({
      text: 'From my apps',
      source: 'my_apps',
      release_id: releaseId,
      contact_email: null,
      author: { developer_id: member.id, email: member.email },
    });
  });
});

describe('members', () => {
  it('see the feedback of their projects, by state, release and source', async () => {
    const id = await sendOne({ text: 'filtered' });
    const list = async (query: Record<string, string>) =>
      (await reader.client.get<{ items: Shown[] }>(path(), { limit: 500, ...query })).body.items.map(
        (one) => one.identifier,
      );
    expect(await list({})).toContain(id);
    expect(await list({ release_id: releaseId, state: 'open', source: 'sdk' })).toContain(id);
    expect(await list({ state: 'done' })).not.toContain(id);
    expect(await list({ release_id: ABSENT })).toEqual([]);
    expect((await stranger.client.get(path())).status).toBe(404);
    expectRefusal(await reader.client.patch(`${path()}/${id}`, { state: 'done' }), 404, 'not_found');
    expectRefusal(await reader.client.delete(`${path()}/${id}`), 404, 'not_found');
  });

  it('with the role maintainer mark it as done, once', async () => {
    const id = await sendOne();
    const staff = await sdk.staff();
    const done = await staff.patch<Shown>(`${path()}/${id}`, { state: 'done' });
    expect(done.body.state).toBe('done');
    expect(done.body.state_changed_at).toBe(fixture.clock.now().toISOString());
    await staff.patch(`${path()}/${id}`, { state: 'done' });
    expect(auditRows(fixture, { identifier: id }).map(({ event, details }) => [event, details.state])).toEqual([
      ['created', undefined],
      ['edited', { from: 'open', to: 'done' }],
    ]);
  });

  it('reply by email, where there is an address', async () => {
    const id = await sendOne({ text: 'no login', email: 'tess@example.com' });
    const staff = await sdk.staff();
    const answer = await staff.post<Shown>(`${path()}/${id}/replies`, { text: 'Fixed in 1.4.1' });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.replies).toMatchObject([{ text: 'Fixed in 1.4.1', author_name: 'Fixture Administrator' }]);
    const mail = fixture.mail.messages.findLast(({ to }) => to === 'tess@example.com');
    expect(mail?.subject).toBe('Reply to your feedback on “Fixture Android”');
    expect(mail?.text).toContain('Fixed in 1.4.1');
    // Nobody verified that the address belongs to who wrote this.
    expect(mail?.text).not.toContain('no login');
    expect(auditRows(fixture, { identifier: id }).at(-1)).toMatchObject({ event: 'replied', type: 'feedback' });
    // Nor may many emails be sent to it.
    const again = () => staff.post<Shown>(`${path()}/${id}/replies`, { text: 'And another one' });
    const tooSoon = await again();
    expect(expectRefusal(tooSoon, 429, 'rate_limit_exceeded')).toEqual({ retry_after_seconds: 300 });
    expect(tooSoon.headers.get('retry-after')).toBe('300');
    fixture.clock.advance(5 * 60_000);
    expect((await again()).status).toBe(201);
    const silent = await sendOne({ text: 'no address' });
    expectRefusal(await staff.post(`${path()}/${silent}/replies`, { text: 'x' }), 400, 'operation_not_allowed');
    expectRefusal(await reader.client.post(`${path()}/${id}/replies`, { text: 'x' }), 404, 'not_found');
  });

  it('delete it with its pictures', async () => {
    const id = await sendOne({ text: 'x', pictures: [buildPng(2, 2), buildPng(3, 3)] });
    const rows = fixture.app.db.select().from(feedbackPictures).where(eq(feedbackPictures.feedbackId, id)).all();
    expect(rows.length).toBe(2);
    expect((await (await sdk.staff()).delete(`${path()}/${id}`)).status).toBe(204);
    await fixture.drain();
    for (const { imageKey } of rows) expect(await fixture.app.storage.get(imageKey)).toBeUndefined();
    expect((await (await sdk.staff()).get(`${path()}/${id}`)).status).toBe(404);
    expect(auditRows(fixture, { identifier: id }).at(-1)).toMatchObject({ event: 'deleted' });
  });

  it('export it as JSON, and as CSV that no spreadsheet runs', async () => {
    const id = await sendOne({ text: '=HYPERLINK("http://evil.example"),"quoted"' });
    const json = await reader.client.get(`${path()}/export`);
    expect(json.headers.get('content-disposition')).toBe('attachment; filename="feedback.json"');
    expect((JSON.parse(json.text) as Shown[]).map((one) => one.identifier)).toContain(id);
    const csv = await reader.client.get(`${path()}/export`, { format: 'csv', source: 'sdk' });
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.text).toContain(`"'=HYPERLINK(""http://evil.example""),""quoted"""`);
    expect((await stranger.client.get(`${path()}/export`)).status).toBe(404);
  });
});

describe('an export of more feedback than one step reads', () => {
  const ROWS = 250;
  let ids: string[];
  beforeAll(() => {
    const { app } = fixture;
    const [sent] = app.db.select().from(feedback).limit(1).all();
    if (sent === undefined) throw new Error('nothing was sent');
    const rows = Array.from({ length: ROWS }, () => ({
      ...sent,
      id: app.ids.next(),
      projectId: fixture.ios_project_id,
      developerId: null,
      pictureBytes: 0,
      text: '\u6f22\n;"',
    }));
    app.db.insert(feedback).values(rows).run();
    ids = rows.map(({ id }) => id).reverse();
  });

  it('has all of it, newest first', async () => {
    const client = await sdk.staff();
    const exportPath = `/api/v1/projects/${fixture.ios_project_id}/feedback/export`;
    const json = await client.get(exportPath);
    expect((JSON.parse(json.text) as Shown[]).map((one) => one.identifier).slice(0, ROWS)).toEqual(ids);
    const csv = await client.get(exportPath, { format: 'csv' });
    expect([...csv.text.matchAll(/,([\da-f-]{36})\r?\n/g)].map(([, id]) => id).slice(0, ROWS)).toEqual(ids);
  });

  it.each(['json', 'csv'] as const)('is encoded step by step as %s, because it has up to 60 MB', async (format) => {
    const ctx = { ...systemContext(fixture.app), project: { id: fixture.ios_project_id } } as ProjectContext;
    const alloc = vi.spyOn(Buffer, 'from');
    const { body } = await exportFeedback(ctx, { format }).finally(() => alloc.mockRestore());
    if (!(body instanceof Uint8Array)) throw new Error('the body has to be encoded again');
    const lengths = alloc.mock.results.map(({ value }) => (value as Buffer).length);
    expect(Math.max(...lengths)).toBeLessThan(body.length / 2);
  });
});

describe('the feedback of an account', () => {
  it('is part of its data, and is deleted with it', async () => {
    const tester = await addPerson(fixture);
    const sent = await browse(fixture, `/install/channels/${fixture.channel_id}/feedback`, tester, {
      text: 'mine',
      pictures: [buildPng(2, 2)],
    });
    expect(sent.title).toBe('Thank you');
    const data = collectPersonalData(fixture.app, tester.id);
    expect(data.feedback).toMatchObject([{ text: 'mine', deviceModel: 'Android' }]);
    const [row] = fixture.app.db.select().from(feedback).where(eq(feedback.developerId, tester.id)).all();
    const [picture] = fixture.app.db
      .select()
      .from(feedbackPictures)
      .where(eq(feedbackPictures.feedbackId, row?.id ?? ''))
      .all();
    systemContext(fixture.app).transact((tx) => removeRow(tx, 'developers', tester.id), {
      removes: true,
      bookkeeping: true,
    });
    await fixture.drain();
    expect(
      fixture.app.db
        .select()
        .from(feedback)
        .where(eq(feedback.id, row?.id ?? ''))
        .all(),
    ).toEqual([]);
    expect(await fixture.app.storage.get(picture?.imageKey ?? '')).toBeUndefined();
  });
});

describe('the message for a chat', () => {
  it('has the text and a link, but not who wrote it', async () => {
    const receiver = await startReceiver();
    try {
      const hooks = startWebhookScenario(fixture, await sdk.staff());
      await hooks.subscribe(`${receiver.url}/slack`, { format: 'slack', events: ['feedback.received'] });
      const id = await sendOne({ text: 'Hello <!channel>', email: 'tess@example.com' });
      await fixture.drain();
      const text = JSON.stringify(receiver.at('/slack').map(({ json }) => json));
      expect(text).toContain('Feedback received');
      expect(text).toContain('Hello <\u200b!channel>');
      expect(text).toContain(`/projects/${fixture.android_project_id}/feedback?feedback=${id}`);
      expect(text).not.toContain('tess@example.com');
    } finally {
      await receiver[Symbol.asyncDispose]();
    }
  });
});
