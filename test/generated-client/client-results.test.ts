// Results of taxiway/client.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../src/client.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

it('are text if the response has no media type, and undefined if it has no body either', async () => {
  const client = createClient({ url: fixture.url, token: fixture.admin.access_token });
  const id = await client.post('/api/v1/organizations', { body: { name: 'Second' } });
  const path = { organization_id: String(id) };
  expect(await client.get('/api/v1/organizations/{organization_id}', { path })).toMatchObject({
    identifier: id,
    name: 'Second',
  });
  expect(await client.delete('/api/v1/organizations/{organization_id}', { path })).toBeUndefined();
});
