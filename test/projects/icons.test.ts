// Icons of organizations and projects: accepted files, downloads, and deletion.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projects } from '../../src/data/tables/tables.ts';
import { imageTypeOf } from '../../src/images/check.ts';
import { ALL_SCOPES, scopes } from '../../src/permissions.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { sampleImages } from '../images/sample-images.ts';
import { listStoredImages, readImage } from '../images/stored-images.ts';
import { buildPng } from '../support/fixtures.ts';
import {
  ABSENT,
  api,
  auditMark,
  auditRows,
  type Client,
  expectInvalid,
  expectRefusal,
  type Json,
} from '../support/harness.ts';
import { addOrganization, addTeam, type Person, personalTokenClient } from '../support/people.ts';

const MEBIBYTE = 1024 * 1024;
const PNG = sampleImages.palettePng;
const JPEG = sampleImages.baselineJpeg;
const WEBP = sampleImages.losslessWebp;

let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

async function staff() {
  const team = await addTeam(fixture);
  return {
    ...team,
    organizationIcon: `${team.organizationPath}/icon`,
    projectIcon: `${team.projectPath}/icon`,
    longProjectIcon: `${team.organizationPath}/projects/${team.projectId}/icon`,
    reader: team.inRole.read,
    uploader: team.inRole.read_download_upload,
    maintainer: team.inRole.maintainer,
  };
}

function form(bytes: Uint8Array, { name = 'file', type = 'application/octet-stream' } = {}): FormData {
  const data = new FormData();
  data.append(name, new Blob([new Uint8Array(bytes)], { type }), 'icon.svg');
  return data;
}

const send = (client: Client, path: string, bytes: Uint8Array, options?: { name?: string; type?: string }) =>
  client.send('POST', path, { rawBody: form(bytes, options) });

const read = (person: Person, path: string, headers?: Record<string, string>) =>
  readImage(fixture, person, path, headers);

function withWidth(webp: Buffer, width: number): Buffer {
  const copy = Buffer.from(webp);
  copy.writeUInt16LE(width, 26);
  return copy;
}

describe('the type of an image', () => {
  it.each([
    ['a PNG', PNG, 'image/png'],
    ['a JPEG', JPEG, 'image/jpeg'],
    ['a WebP', WEBP, 'image/webp'],
    ['an empty file', Buffer.alloc(0), undefined],
    ['half a PNG signature', PNG.subarray(0, 7), undefined],
    ['a GIF', Buffer.from('GIF89a\u0001\u0000\u0001\u0000'), undefined],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), undefined],
    ['a page', Buffer.from('<!doctype html><script>1</script>'), undefined],
    ['a sound in the same container as WebP', Buffer.from('RIFF\u0004\u0000\u0000\u0000WAVE'), undefined],
    ['a PNG after a blank', Buffer.concat([Buffer.from(' '), PNG]), undefined],
  ])('of %s is detected from its bytes', (_what, bytes, expected) => {
    expect(imageTypeOf(bytes)).toBe(expected);
  });
});

describe('setting an icon', () => {
  it.each([
    ['organizationIcon', PNG, 'image/png', 'organization'],
    ['projectIcon', JPEG, 'image/jpeg', 'project'],
    ['longProjectIcon', WEBP, 'image/webp', 'project'],
  ] as const)(
    'at the %s returns it unchanged, with the type detected from its bytes',
    async (kind, bytes, type, thing) => {
      const { [kind]: path, admin, organizationId, projectId } = await staff();
      const after = auditMark(fixture);
      const answer = await send(admin.client, path, bytes, { type: 'image/svg+xml' });
      expect(answer.status).toBe(201);
      const identifier = thing === 'project' ? projectId : organizationId;
      expect(answer.body).toMatchObject({ identifier, has_icon: true });
      const url = String(answer.body.icon_url);
      expect(url.startsWith(`${fixture.config.server.base_url}/api/v1/${thing}s/${identifier}/icon?v=`)).toBe(true);
      expect((await admin.client.get(`/api/v1/${thing}s/${identifier}`)).body).toEqual(answer.body);

      const { pathname, search } = new URL(url);
      const icon = await read(admin, pathname + search);
      expect(icon.status).toBe(200);
      expect(icon.bytes.equals(bytes)).toBe(true);
      expect(icon.headers.get('content-type')).toBe(type);
      expect(icon.headers.get('x-content-type-options')).toBe('nosniff');
      expect(icon.headers.get('cache-control')).toMatch(/^private/);
      expect(icon.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
      expect(auditRows(fixture, { after }).map((row) => [row.event, row.type, row.identifier, row.details])).toEqual([
        ['edited', thing, identifier, { changed: { icon: { from: null, to: type } } }],
      ]);
    },
  );

  it('replaces the previous one and deletes its bytes immediately', async () => {
    const { admin, projectIcon } = await staff();
    const before = new Set(await listStoredImages(fixture));
    await send(admin.client, projectIcon, PNG);
    const [first] = (await listStoredImages(fixture)).filter((key) => !before.has(key));
    const url = (await admin.client.get(projectIcon.replace('/icon', ''))).body.icon_url;
    await fixture.drain();
    expect(await listStoredImages(fixture)).toContain(first);
    const second = await send(admin.client, projectIcon, WEBP);
    expect(second.body.icon_url).not.toBe(url);
    await fixture.drain();
    expect(await listStoredImages(fixture)).not.toContain(first);
    expect((await read(admin, projectIcon)).bytes.equals(WEBP)).toBe(true);
  });

  it('accepts exactly 1 MiB and nothing more', async () => {
    const { admin, organizationIcon, projectIcon } = await staff();
    const exact = Buffer.concat([PNG, Buffer.alloc(MEBIBYTE - PNG.length, 7)]);
    expect((await send(admin.client, projectIcon, exact)).status).toBe(201);
    expect((await read(admin, projectIcon)).bytes.equals(exact)).toBe(true);
    for (const size of [MEBIBYTE + 1, MEBIBYTE + 10_000, 3 * MEBIBYTE]) {
      const tooLarge = Buffer.concat([PNG, Buffer.alloc(size - PNG.length)]);
      expectRefusal(await send(admin.client, projectIcon, tooLarge), 413, 'payload_too_large');
      expectRefusal(await send(admin.client, organizationIcon, tooLarge), 413, 'payload_too_large');
    }
    expect((await read(admin, projectIcon)).bytes.length).toBe(MEBIBYTE);
  });

  it.each([
    ['an SVG that calls itself PNG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a GIF', Buffer.from('GIF89a0000000000')],
    ['an empty file', Buffer.alloc(0)],
    ['a PNG that is cut', PNG.subarray(0, -20)],
    ['a JPEG of a head alone', Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex')],
    ['a WebP without width', withWidth(sampleImages.lossyWebp, 0)],
    ['a PNG of 4,097 pixels', buildPng(4097, 1)],
  ])('rejects %s and stores nothing', async (_what, bytes) => {
    const { admin, organizationIcon, projectIcon } = await staff();
    const before = await listStoredImages(fixture);
    for (const path of [organizationIcon, projectIcon]) {
      const details = expectRefusal(await send(admin.client, path, bytes, { type: 'image/png' }), 400, 'invalid_input');
      expect(details).toEqual({ field: 'file' });
    }
    expect(await listStoredImages(fixture)).toEqual(before);
  });

  it('rejects a body that is not a form with a file', async () => {
    const { admin, projectIcon } = await staff();
    expectInvalid(await send(admin.client, projectIcon, PNG, { name: 'icon' }), 'body.file: missing');
    const text = new FormData();
    text.append('file', 'text');
    expectInvalid(await admin.client.send('POST', projectIcon, { rawBody: text }), 'body.file: missing');
    expectRefusal(await admin.client.post(projectIcon, { file: 'x' }), 415, 'unsupported_media_type');
    const raw = { rawBody: new Uint8Array(PNG), headers: { 'content-type': 'image/png' } };
    expectRefusal(await admin.client.send('POST', projectIcon, raw), 415, 'unsupported_media_type');
    const twice = new FormData();
    for (const name of ['one', 'two']) twice.append('file', new Blob([new Uint8Array(PNG)]), name);
    expectInvalid(await admin.client.send('POST', projectIcon, { rawBody: twice }), 'body.file: too_long');
    const broken = { rawBody: 'nonsense', headers: { 'content-type': 'multipart/form-data; boundary=x' } };
    expectRefusal(await admin.client.send('POST', projectIcon, broken), 400, 'invalid_input');
  });

  it('keeps the last of fifty simultaneous ones and deletes the others', async () => {
    const { admin, organizationIcon } = await staff();
    const before = new Set(await listStoredImages(fixture));
    const images = Array.from({ length: 50 }, (_, index) => Buffer.concat([PNG, Buffer.from([index])]));
    const answers = await Promise.all(images.map((bytes) => send(admin.client, organizationIcon, bytes)));
    expect(answers.map((answer) => answer.status)).toEqual(images.map(() => 201));
    const icon = await read(admin, organizationIcon);
    expect(images.some((bytes) => bytes.equals(icon.bytes))).toBe(true);
    await fixture.drain();
    expect((await listStoredImages(fixture)).filter((key) => !before.has(key))).toHaveLength(1);
  });

  it('leaves no bytes behind if the project is deleted at the same time', async () => {
    const { admin, projectIcon, projectId } = await staff();
    const before = await listStoredImages(fixture);
    const { storage, db } = fixture.app;
    const put = storage.put;
    storage.put = async (key, bytes) => {
      const head = await put(key, bytes);
      db.$client.prepare('DELETE FROM project_memberships WHERE project_id = ?').run(projectId);
      db.$client.prepare('DELETE FROM projects WHERE id = ?').run(projectId);
      return head;
    };
    try {
      expectRefusal(await send(admin.client, projectIcon, PNG), 404, 'not_found');
    } finally {
      storage.put = put;
    }
    expect(await listStoredImages(fixture)).toEqual(before);
    expect(
      db
        .select()
        .from(projects)
        .all()
        .map((row) => row.id),
    ).not.toContain(projectId);
  });
});

describe('reading an icon', () => {
  it('returns 404 if there is none', async () => {
    const { admin, organizationIcon, projectIcon, longProjectIcon } = await staff();
    for (const path of [organizationIcon, projectIcon, longProjectIcon]) {
      expectRefusal(await admin.client.get(path), 404, 'not_found');
      expectRefusal(await admin.client.delete(path), 404, 'not_found');
    }
  });

  it('returns 304 to clients that have it', async () => {
    const { admin, projectIcon } = await staff();
    await send(admin.client, projectIcon, PNG);
    const etag = (await read(admin, projectIcon)).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await read(admin, projectIcon, { 'if-none-match': known });
      expect([answer.status, answer.bytes.length, answer.headers.get('etag')]).toEqual([304, 0, etag]);
      expect(answer.headers.get('content-type')).toBeNull();
    }
    expect((await read(admin, projectIcon, { 'if-none-match': '"other"' })).status).toBe(200);
    await send(admin.client, projectIcon, WEBP);
    expect((await read(admin, projectIcon, { 'if-none-match': etag })).status).toBe(200);
  });
});

describe('permissions', () => {
  it('for setting, reading and removing the icon of an organization', async () => {
    const { admin, manager, member, outsider, organizationIcon, organizationId } = await staff();
    for (const person of [manager, member]) {
      expectRefusal(await send(person.client, organizationIcon, PNG), 403, 'insufficient_role');
      expectRefusal(await person.client.delete(organizationIcon), 403, 'insufficient_role');
    }
    expectRefusal(await send(outsider.client, organizationIcon, PNG), 404, 'not_found');
    expectRefusal(await send(api(fixture, null), organizationIcon, PNG), 401, 'unauthorized');
    await send(admin.client, organizationIcon, PNG);
    expect((await read(member, organizationIcon)).status).toBe(200);
    expect((await read(outsider, organizationIcon)).status).toBe(404);
    expectRefusal(await api(fixture, null).get(organizationIcon), 401, 'unauthorized');
    const token = { developerId: admin.id, organizationId };
    const reading = personalTokenClient(fixture, { ...token, scopes: scopes.read });
    expect((await reading.get(organizationIcon)).status).toBe(200);
    expectRefusal(await send(reading, organizationIcon, PNG), 403, 'permission_denied');
    const all = personalTokenClient(fixture, { ...token, scopes: ALL_SCOPES });
    expect((await send(all, organizationIcon, WEBP)).status).toBe(201);
  });

  it('for setting, reading and removing the icon of a project, at both addresses', async () => {
    const {
      admin,
      member,
      outsider,
      reader,
      uploader,
      maintainer,
      projectIcon,
      longProjectIcon,
      projectId,
      organizationId,
    } = await staff();
    for (const path of [projectIcon, longProjectIcon]) {
      for (const person of [member, outsider, reader, uploader]) {
        expectRefusal(await send(person.client, path, PNG), 404, 'not_found');
        expectRefusal(await person.client.delete(path), 404, 'not_found');
      }
      expect((await send(maintainer.client, path, PNG)).status).toBe(201);
      expect((await read(reader, path)).status).toBe(200);
      expect((await read(member, path)).status).toBe(404);
      expect((await read(outsider, path)).status).toBe(404);
    }
    const elsewhere = await addOrganization(admin, 'Elsewhere');
    const wrong = longProjectIcon.replace(organizationId, elsewhere);
    expectRefusal(await admin.client.get(wrong), 404, 'not_found');
    expectRefusal(await admin.client.get(wrong, { organization_id: organizationId }), 404, 'not_found');
    expectRefusal(await send(admin.client, longProjectIcon.replace(projectId, ABSENT), PNG), 404, 'not_found');

    const query = { organization_id: organizationId, project_id: projectId };
    const tokenOf = async (role: string) =>
      api(
        fixture,
        (await admin.client.post<{ token: string }>('/api/v1/project-access-tokens', { name: 'ci', role }, query)).body
          .token,
      );
    expectRefusal(await send(await tokenOf('read'), projectIcon, PNG), 403, 'permission_denied');
    expect((await send(await tokenOf('maintainer'), projectIcon, PNG)).status).toBe(201);
  });
});

describe('removing an icon', () => {
  it('deletes it with its bytes, and records that', async () => {
    const { admin, maintainer, projectIcon, organizationIcon } = await staff();
    for (const [client, path, type] of [
      [maintainer.client, projectIcon, 'project'],
      [admin.client, organizationIcon, 'organization'],
    ] as const) {
      // Icons that earlier cases replaced are deleted by jobs.
      await fixture.drain();
      const before = await listStoredImages(fixture);
      await send(client, path, JPEG);
      expect(await listStoredImages(fixture)).toHaveLength(before.length + 1);
      const after = auditMark(fixture);
      expect((await client.delete(path)).status).toBe(204);
      await fixture.drain();
      expect(await listStoredImages(fixture)).toEqual(before);
      expect(auditRows(fixture, { after })).toMatchObject([
        { event: 'edited', type, details: { changed: { icon: { from: 'image/jpeg', to: null } } } },
      ]);
      const { body }: { body: Json } = await client.get(path.replace(/\/icon$/, ''));
      expect(body).toMatchObject({ has_icon: false, icon_url: null });
      expectRefusal(await client.delete(path), 404, 'not_found');
    }
  });

  it('also works at the address below the organization', async () => {
    const { admin, organizationId, projectIcon } = await staff();
    await send(admin.client, projectIcon, PNG);
    const below = projectIcon.replace('/api/v1/', `/api/v1/organizations/${organizationId}/`);
    expect((await admin.client.delete(below)).status).toBe(204);
    expectRefusal(await admin.client.delete(projectIcon), 404, 'not_found');
  });

  it('happens when the project or organization is deleted', async () => {
    const { admin, projectIcon, organizationIcon } = await staff();
    const before = await listStoredImages(fixture);
    await send(admin.client, projectIcon, PNG);
    await send(admin.client, organizationIcon, PNG);
    expect(await listStoredImages(fixture)).toHaveLength(before.length + 2);
    expect((await admin.client.delete(projectIcon.replace('/icon', ''))).status).toBe(204);
    expect((await admin.client.delete(organizationIcon.replace('/icon', ''))).status).toBe(204);
    await fixture.drain();
    expect(await listStoredImages(fixture)).toEqual(before);
  });
});
