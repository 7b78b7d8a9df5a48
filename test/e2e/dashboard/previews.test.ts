// The previews of pull requests on the page of a project: they're listed apart from the channels, and can be ended.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let visitor: Visitor;
beforeAll(async () => {
  scenario = await openScenario();
  visitor = await openVisitor(scenario.browser, scenario.origin);
});
afterAll(async () => {
  await visitor?.leave();
  await scenario?.close();
});

it('a preview is listed below the channels and can be ended', async () => {
  const { fixture, client } = scenario;
  const query = { organization_id: fixture.organization_id, project_id: fixture.android_project_id };
  expect((await client.post('/api/v1/previews', { pull_request: 123 }, query)).status).toBe(200);
  const { page, actions, show } = visitor;
  await openSignedIn(scenario, visitor, `/projects/${query.project_id}`);
  const list = page.getByRole('region', { name: 'Previews' });
  await list.getByRole('link', { name: 'PR 123' }).waitFor();
  await show('previews');
  await actions.click(list.getByRole('button', { name: 'End preview PR 123' }));
  await actions.click(page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }));
  await list.waitFor({ state: 'detached' });
  const { body } = await client.get<{ items: unknown[] }>('/api/v1/previews', query);
  expect(body.items).toEqual([]);
});
