// Screenshots of projects: adding, ordering, reading and deleting.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Screenshot } from '../../src/projects/screenshot-schema.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { sampleImages } from '../images/sample-images.ts';
import { listStoredImages } from '../images/stored-images.ts';
import { buildPng } from '../support/fixtures.ts';
import { ABSENT, api, auditMark, auditRows, type Client, expectRefusal } from '../support/harness.ts';
import { addTeam } from '../support/people.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

async function staff() {
  const team = await addTeam(fixture);
  const { maintainer, read, read_download_upload: uploader } = team.inRole;
  return { ...team, path: `${team.projectPath}/screenshots`, maintainer, reader: read, uploader };
}

function add(client: Client, path: string, bytes: Uint8Array = sampleImages.palettePng) {
  const rawBody = new FormData();
  rawBody.append('file', new Blob([new Uint8Array(bytes)]), 'screen.png');
  return client.send<Screenshot>('POST', path, { rawBody });
}

const idsOf = async (client: Client, path: string) =>
  (await client.get<{ items: Screenshot[] }>(path)).body.items.map(({ identifier }) => identifier);

describe('adding a screenshot', () => {
  it.each([
    ['PNG', buildPng(12, 26), { width: 12, height: 26 }, 'image/png'],
    ['JPEG', sampleImages.baselineJpeg, { width: 3, height: 2 }, 'image/jpeg'],
    ['WebP', sampleImages.extendedWebp, { width: 5, height: 3 }, 'image/webp'],
  ])('returns a %s with its sides, and then its bytes unchanged', async (_kind, bytes, sides, type) => {
    const { maintainer, reader, path, projectId } = await staff();
    const after = auditMark(fixture);
    const { status, body } = await add(maintainer.client, path, bytes);
    expect(status).toBe(201);
    expect(body).toMatchObject(sides);
    expect((await reader.client.get(path)).body).toEqual({ items: [body] });
    expect(auditRows(fixture, { after }).map((row) => [row.event, row.type, row.identifier, row.details])).toEqual([
      ['edited', 'project', projectId, { changed: { screenshots: { from: [], to: [body.identifier] } } }],
    ]);
    const headers = { authorization: `Bearer ${reader.accessToken}` };
    const image = await fetch(body.url, { headers });
    expect([image.status, image.headers.get('content-type')]).toEqual([200, type]);
    expect(image.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(Buffer.from(await image.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('is rejected for other files, and stores nothing', async () => {
    const { maintainer, path } = await staff();
    const before = await listStoredImages(fixture);
    for (const bytes of [Buffer.from('<svg/>'), buildPng(12, 26).subarray(0, 40)]) {
      expect(expectRefusal(await add(maintainer.client, path, bytes), 400, 'invalid_input')).toEqual({ field: 'file' });
    }
    expectRefusal(await add(maintainer.client, path, Buffer.alloc(4 * 1024 * 1024 + 1)), 413, 'payload_too_large');
    expect(await listStoredImages(fixture)).toEqual(before);
  });

  it('stops at eight, also for twelve simultaneous requests', async () => {
    const { maintainer, path } = await staff();
    const before = await listStoredImages(fixture);
    const answers = await Promise.all(Array.from({ length: 12 }, () => add(maintainer.client, path)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(8);
    const refused = await add(maintainer.client, path);
    expectRefusal(refused, 400, 'quota_exceeded');
    expect(await idsOf(maintainer.client, path)).toHaveLength(8);
    expect(await listStoredImages(fixture)).toHaveLength(before.length + 8);
  });
});

describe('the order', () => {
  it('is that of adding until it is changed, which is recorded once', async () => {
    const { maintainer, path } = await staff();
    const added: string[] = [];
    for (let count = 0; count < 3; count += 1) added.push((await add(maintainer.client, path)).body.identifier);
    expect(await idsOf(maintainer.client, path)).toEqual(added);
    const [first = '', second = '', third = ''] = added;
    const wanted = [third, first, second];
    const after = auditMark(fixture);
    const put = () => maintainer.client.put<{ items: Screenshot[] }>(path, { screenshot_ids: wanted });
    expect((await put()).body.items.map(({ identifier }) => identifier)).toEqual(wanted);
    expect((await put()).status).toBe(200);
    expect(await idsOf(maintainer.client, path)).toEqual(wanted);
    expect(auditRows(fixture, { after }).map(({ details }) => details)).toEqual([
      { changed: { screenshots: { from: added, to: wanted } } },
    ]);
    const fourth = (await add(maintainer.client, path)).body.identifier;
    expect(await idsOf(maintainer.client, path)).toEqual([...wanted, fourth]);
  });

  it('must name each screenshot of the project once', async () => {
    const { maintainer, path } = await staff();
    const { identifier: first } = (await add(maintainer.client, path)).body;
    const { identifier: second } = (await add(maintainer.client, path)).body;
    for (const ids of [[], [first], [first, first], [first, ABSENT], [first, second, second]]) {
      expect(expectRefusal(await maintainer.client.put(path, { screenshot_ids: ids }), 400, 'invalid_input')).toEqual({
        field: 'screenshot_ids',
      });
    }
    expect(await idsOf(maintainer.client, path)).toEqual([first, second]);
  });
});

describe('deleting a screenshot', () => {
  it('deletes its bytes and records what is left', async () => {
    const { maintainer, path } = await staff();
    const { identifier: kept } = (await add(maintainer.client, path)).body;
    const before = await listStoredImages(fixture);
    const { identifier: id } = (await add(maintainer.client, path)).body;
    const after = auditMark(fixture);
    expect((await maintainer.client.delete(`${path}/${id}`)).status).toBe(204);
    await fixture.drain();
    expect(await listStoredImages(fixture)).toEqual(before);
    expect(await idsOf(maintainer.client, path)).toEqual([kept]);
    expect(auditRows(fixture, { after }).map(({ details }) => details)).toEqual([
      { changed: { screenshots: { from: [kept, id], to: [kept] } } },
    ]);
    expectRefusal(await maintainer.client.delete(`${path}/${id}`), 404, 'not_found');
    expectRefusal(await maintainer.client.get(`${path}/${id}`), 404, 'not_found');
  });

  it('happens with its project', async () => {
    const { admin, path, projectPath } = await staff();
    const before = await listStoredImages(fixture);
    await add(admin.client, path);
    await add(admin.client, path);
    expect((await admin.client.delete(projectPath)).status).toBe(204);
    await fixture.drain();
    expect(await listStoredImages(fixture)).toEqual(before);
  });
});

describe('screenshots are changed', () => {
  it('by maintainers, and seen by readers', async () => {
    const { maintainer, uploader, reader, member, outsider, path, projectId, projectPath } = await staff();
    const { identifier: id } = (await add(maintainer.client, path)).body;
    for (const { client } of [uploader, reader, member, outsider]) {
      expectRefusal(await add(client, path), 404, 'not_found');
      expectRefusal(await client.put(path, { screenshot_ids: [id] }), 404, 'not_found');
      expectRefusal(await client.delete(`${path}/${id}`), 404, 'not_found');
    }
    for (const { client } of [member, outsider]) {
      expectRefusal(await client.get(path), 404, 'not_found');
      expectRefusal(await client.get(`${path}/${id}`), 404, 'not_found');
    }
    expectRefusal(await add(api(fixture, null), path), 401, 'unauthorized');
    expect(await idsOf(reader.client, path)).toEqual([id]);
    const other = await staff();
    const elsewhere = `${projectPath.replace(projectId, other.projectId)}/screenshots/${id}`;
    expectRefusal(await other.maintainer.client.get(elsewhere), 404, 'not_found');
    expectRefusal(await other.maintainer.client.delete(elsewhere), 404, 'not_found');
  });
});
