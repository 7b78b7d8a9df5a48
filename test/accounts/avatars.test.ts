// Profile pictures: accepted files, visibility and deletion.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES } from '../../src/permissions.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { sampleImages } from '../images/sample-images.ts';
import { listStoredImages, readImage } from '../images/stored-images.ts';
import { api, auditMark, auditRows, type Client, expectInvalid, expectRefusal, type Json } from '../support/harness.ts';
import { addOrganization, addPerson, type Person, personalTokenClient } from '../support/people.ts';

const MEBIBYTE = 1024 * 1024;
const PNG = sampleImages.palettePng;
const JPEG = sampleImages.baselineJpeg;
const WEBP = sampleImages.losslessWebp;

let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const pathOf = ({ id }: Pick<Person, 'id'>) => `/api/v1/developers/${id}/avatar`;

function send(client: Client, path: string, bytes: Uint8Array, field = 'file') {
  const form = new FormData();
  form.append(field, new Blob([new Uint8Array(bytes)], { type: 'image/svg+xml' }), 'me.svg');
  return client.send('POST', path, { rawBody: form });
}

const read = (person: Person, path = pathOf(person), headers?: Record<string, string>) =>
  readImage(fixture, person, path, headers);

async function storedPictures(): Promise<string[]> {
  await fixture.drain();
  return listStoredImages(fixture);
}

describe('a profile picture', () => {
  it.each([
    ['image/png', PNG],
    ['image/jpeg', JPEG],
    ['image/webp', WEBP],
  ])('of type %s is returned unchanged, with the type detected from its bytes', async (type, bytes) => {
    const person = await addPerson(fixture);
    const after = auditMark(fixture);
    const answer = await send(person.client, pathOf(person), bytes);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ identifier: person.id, has_avatar: true });
    expect((await person.client.get('/api/v1/developers/me')).body).toEqual(answer.body);
    const { pathname, search, origin } = new URL(String(answer.body.avatar_url));
    expect([origin, pathname]).toEqual([new URL(fixture.config.server.base_url).origin, pathOf(person)]);
    const picture = await read(person, pathname + search);
    expect(picture.status).toBe(200);
    expect(picture.bytes.equals(bytes)).toBe(true);
    expect(picture.headers.get('content-type')).toBe(type);
    expect(picture.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    const etag = picture.headers.get('etag') ?? '';
    expect((await read(person, pathOf(person), { 'if-none-match': etag })).status).toBe(304);
    expect(auditRows(fixture, { after })).toMatchObject([
      {
        event: 'edited',
        type: 'developer',
        identifier: person.id,
        organizationId: null,
        developerId: person.id,
        details: { fields: ['avatar'] },
      },
    ]);
  });

  it('replaces the previous one and deletes its bytes', async () => {
    const person = await addPerson(fixture);
    const before = await storedPictures();
    const first = await send(person.client, pathOf(person), PNG);
    const second = await send(person.client, pathOf(person), WEBP);
    expect(second.body.avatar_url).not.toBe(first.body.avatar_url);
    expect((await read(person)).bytes.equals(WEBP)).toBe(true);
    expect(await storedPictures()).toHaveLength(before.length + 1);
  });

  it('is deleted with its bytes', async () => {
    const person = await addPerson(fixture);
    const before = await storedPictures();
    expectRefusal(await person.client.get(pathOf(person)), 404, 'not_found');
    expectRefusal(await person.client.delete(pathOf(person)), 404, 'not_found');
    await send(person.client, pathOf(person), JPEG);
    expect((await person.client.delete(pathOf(person))).status).toBe(204);
    expect(await storedPictures()).toEqual(before);
    expect((await read(person)).status).toBe(404);
    expect((await person.client.get('/api/v1/developers/me')).body).toMatchObject({
      has_avatar: false,
      avatar_url: null,
    });
  });

  it('can have exactly 1 MiB', async () => {
    const person = await addPerson(fixture);
    const exact = Buffer.concat([PNG, Buffer.alloc(MEBIBYTE - PNG.length, 7)]);
    expect((await send(person.client, pathOf(person), exact)).status).toBe(201);
    expect((await read(person)).bytes.equals(exact)).toBe(true);
    const tooLarge = Buffer.concat([exact, Buffer.alloc(1)]);
    expectRefusal(await send(person.client, pathOf(person), tooLarge), 413, 'payload_too_large');
    expect((await read(person)).bytes.equals(exact)).toBe(true);
  });

  it.each([
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a GIF', Buffer.from('GIF89a0000000000')],
    ['an empty file', Buffer.alloc(0)],
  ])('that is %s is rejected, and nothing is stored', async (_what, bytes) => {
    const person = await addPerson(fixture);
    const before = await storedPictures();
    const details = expectRefusal(await send(person.client, pathOf(person), bytes), 400, 'invalid_input');
    expect(details).toEqual({ field: 'file' });
    expectInvalid(await send(person.client, pathOf(person), PNG, 'avatar'), 'body.file: missing');
    expect(await storedPictures()).toEqual(before);
  });

  it('is kept by the cleanup of objects without a row', async () => {
    const person = await addPerson(fixture);
    await send(person.client, pathOf(person), PNG);
    const orphan = `icons/${fixture.app.ids.next()}`;
    await fixture.app.storage.put(orphan, PNG);
    fixture.clock.advance(26 * 3_600_000);
    await fixture.sweep('orphaned-objects');
    expect(await fixture.app.storage.head(orphan)).toBeUndefined();
    const again = await addPerson(fixture);
    await send(again.client, pathOf(again), PNG);
    const rows = await storedPictures();
    const { avatarKey } = fixture.app.db.$client
      .prepare<[string], { avatarKey: string }>('SELECT avatar_key AS avatarKey FROM developers WHERE id = ?')
      .get(person.id) ?? { avatarKey: '' };
    expect(rows).toContain(avatarKey);
  });
});

describe('the owner of a picture', () => {
  it('sets, sees and deletes it, and must be signed in', async () => {
    const person = await addPerson(fixture);
    const organizationId = await addOrganization(person);
    const colleague = await addPerson(fixture, { organizations: { [organizationId]: 'admin' } });
    await send(person.client, pathOf(person), PNG);
    expectRefusal(await send(colleague.client, pathOf(person), WEBP), 404, 'not_found');
    expectRefusal(await colleague.client.get(pathOf(person)), 404, 'not_found');
    expectRefusal(await colleague.client.delete(pathOf(person)), 404, 'not_found');
    expectRefusal(await api(fixture, null).get(pathOf(person)), 401, 'unauthorized');
    const all = personalTokenClient(fixture, { developerId: person.id, organizationId, scopes: ALL_SCOPES });
    for (const answer of [
      await send(all, pathOf(person), WEBP),
      await all.get<Json>(pathOf(person)),
      await all.delete<Json>(pathOf(person)),
    ]) {
      expectRefusal(answer, 403, 'permission_denied');
    }
    const unverified = await addPerson(fixture, { isVerified: false });
    expectRefusal(await send(unverified.client, pathOf(unverified), PNG), 403, 'email_not_verified');
    expect((await read(person)).bytes.equals(PNG)).toBe(true);
  });
});
