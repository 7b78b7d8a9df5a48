// Last-used times: collected, written later, and lost without ending the process if they can't be written.
import { setTimeout as sleep } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { projectAccessTokens } from '../../src/data/tables/tables.ts';
import { startFixture } from '../../src/testing/fixture.ts';
import { api } from '../support/harness.ts';

it('loses only last-used times if the database does not accept them', async () => {
  await using fixture = await startFixture();
  const { app } = fixture;
  const lastUsed = () =>
    app.db.select().from(projectAccessTokens).where(eq(projectAccessTokens.name, 'fixture')).get()?.lastUsedAt;
  const ci = api(fixture, fixture.project_access_token);
  const read = () => ci.get(`/api/v1/channels/${fixture.channel_id}`);

  app.db.$client.pragma('query_only = ON');
  expect((await read()).status).toBe(200);
  // The timer of the credentialUse comes once a second; what it throws would end the process.
  await sleep(1_200);
  app.db.$client.pragma('query_only = OFF');
  expect(lastUsed()).toBeNull();
  expect((await read()).status).toBe(200);
  app.credentialUse.flush();
  expect(lastUsed()).toBeTypeOf('number');
});
