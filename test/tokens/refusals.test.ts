// Operations that reject access tokens regardless of scope or role: docs/specification/tokens.md, the declarations and the
// responses.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/http/operation.ts';
import { operations } from '../../src/operations.ts';
import { ALL_SCOPES } from '../../src/permissions.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { tableIn } from '../specification/pages.ts';
import { api, expectRefusal } from '../support/harness.ts';
import { addPerson, personalTokenClient, projectTokenClient } from '../support/people.ts';

/** Operations below /api/v1, as "GET /developers/me"; a cell of the page has several, some with one path for several methods. */
const listed = tableIn('tokens', 'Operations that reject tokens').flatMap(([, operationsOfRow = '']) =>
  operationsOfRow.split(' · ').flatMap((group) => {
    const [, methods = '', path = ''] = /^([A-Z, ]+?) (\/\S+)$/.exec(group) ?? [];
    return methods.split(', ').map((method) => `${method} ${path}`);
  }),
);
const titleOf = ({ method, path }: Operation) => `${method.toUpperCase()} ${path.replace('/api/v1', '')}`;
/** The operator's own are told of in test/system/system.test.ts. */
const isInteractive = ({ access, isInternal }: Operation) =>
  access.kind !== 'anonymous' && access.isInteractive === true && isInternal !== true;

let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

describe('the operations that reject tokens', () => {
  it('are exactly those in docs/specification/tokens.md', () => {
    expect(operations.filter(isInteractive).map(titleOf).sort()).toEqual([...listed].sort());
  });

  it.each(listed)(
    '%s returns permission_denied for every token, and requires nothing else of a sign-in',
    async (title) => {
      const { organization_id: organizationId, android_project_id: projectId } = fixture;
      const admin = await addPerson(fixture, { organizations: { [organizationId]: 'admin' } });
      const [method = '', template = ''] = title.split(' ');
      const ids: Record<string, string> = {
        organization_id: organizationId,
        developer_id: admin.id,
        kind: 'organization',
      };
      const path = template.replace(/\{(\w+)\}/g, (_match, name: string) => ids[name] ?? fixture.app.ids.next());
      const query = { organization_id: organizationId, project_id: projectId };
      const owner = { developerId: admin.id, organizationId };
      const tokens = [
        personalTokenClient(fixture, { ...owner, scopes: ALL_SCOPES }),
        personalTokenClient(fixture, { ...owner, scopes: 63n }),
        personalTokenClient(fixture, { ...owner, scopes: 0n }),
        projectTokenClient(fixture, { organizationId, projectId, role: 'admin' }),
      ];
      for (const client of tokens) {
        expectRefusal(await client.send(method, `/api/v1${path}`, { query }), 403, 'permission_denied');
      }
      const answer = await admin.client.send(method, `/api/v1${path}`, { query });
      expect([401, 500]).not.toContain(answer.status);
      if (answer.body?.error !== 'permission_denied') return;
      // A step-up: the person has no password and no identity provider.
      expect(expectRefusal(answer, 403, 'permission_denied')).toEqual({ reason: 'nothing_to_verify' });
    },
  );

  it('are described so in the API description', async () => {
    const { body } = await api(fixture, null).get<{
      paths: Record<string, Record<string, { security: Record<string, unknown>[] }>>;
    }>('/api/openapi.json');
    for (const title of listed) {
      const [method = '', path = ''] = title.split(' ');
      const security = body.paths[`/api/v1${path}`]?.[method.toLowerCase()]?.security ?? [];
      expect(security.flatMap((scheme) => Object.keys(scheme))).toEqual(['access_token', 'access_cookie']);
    }
  });
});
