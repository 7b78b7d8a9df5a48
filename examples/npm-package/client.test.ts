// Calls the API with its types: node --test
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, createClient, type Schemas } from 'taxiway/client';
import { startFixture } from 'taxiway/testing';

test('a project is created, listed and deleted', async () => {
  await using fixture = await startFixture();
  const client = createClient({ url: fixture.url, token: fixture.admin.access_token });
  const query = { organization_id: fixture.organization_id };

  const created: Schemas['Project'] = await client.post('/api/v1/projects', {
    query,
    body: { name: 'Crane', platform: 'ios' },
  });
  const names: string[] = [];
  for await (const { name } of client.each('/api/v1/projects', { query: { ...query, limit: 1 } })) names.push(name);
  assert.ok(names.includes('Crane'));

  const path = { project_id: created.identifier };
  await client.delete('/api/v1/projects/{project_id}', { path });
  await assert.rejects(
    client.get('/api/v1/projects/{project_id}', { path }),
    (error) => error instanceof ApiError && error.status === 404 && error.code === 'not_found',
  );
});
