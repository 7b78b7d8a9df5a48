// Images of organizations, projects and people: as the API answers them, and as they're stored.
import type { Fixture } from '../../src/testing/fixture.ts';
import type { Person } from '../support/people.ts';

/** What a person is answered for the address of an image. */
export async function readImage(
  fixture: Fixture,
  person: Person,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; bytes: Buffer }> {
  const authorization = `Bearer ${person.accessToken}`;
  const response = await fetch(new URL(path, fixture.url), { headers: { authorization, ...headers } });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** The keys of all stored icons, avatars and screenshots. */
export async function listStoredImages({ app }: Fixture): Promise<string[]> {
  const { items } = await app.storage.list('icons/', { limit: 1000 });
  return items.map((item) => item.key);
}
