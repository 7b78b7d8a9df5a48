// What personal and project access tokens are refused whatever their scope or role: the list of the specification's part 5,
// written out by hand, against what the operations declare and what the server answers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../src/http/operation.ts';
import { operations } from '../src/operations.ts';
import { ALL_SCOPES } from '../src/permissions.ts';
import { type Fixture, startFixture } from '../src/testing/fixture.ts';
import { api, expectRefusal } from './harness.ts';
import { addPerson, personalTokenClient, projectTokenClient } from './people.ts';

/** Sentence of the specification → operations, below /api/v1. */
const REFUSED: Record<string, readonly string[]> = {
  'Account settings: reading, editing or deleting the developer record, avatar, email change and its passkey step-up.':
    [
      'GET /developers/me',
      'GET /developers/{developer_id}',
      'PATCH /developers/{developer_id}',
      'DELETE /developers/{developer_id}',
      'POST /developers/{developer_id}/avatar',
      'GET /developers/{developer_id}/avatar',
      'DELETE /developers/{developer_id}/avatar',
      'POST /developers/{developer_id}/change_email',
      'POST /developers/{developer_id}/change_email/passkey/begin',
    ],
  'Account security: MFA status, TOTP enrollment and confirmation, recovery-code regeneration, disabling MFA, all passkey operations, listing or revoking sessions.':
    [
      'GET /mfa',
      'POST /mfa/totp/begin',
      'POST /mfa/totp/confirm',
      'POST /mfa/recovery-codes',
      'POST /mfa/disable',
      'GET /passkeys',
      'POST /passkeys/register/begin',
      'POST /passkeys/register/finish',
      'PATCH /passkeys/{passkey_id}',
      'DELETE /passkeys/{passkey_id}',
      'GET /sessions',
      'DELETE /sessions/{session_id}',
      'DELETE /sessions',
    ],
  'Token management: creating, listing, rotating, revoking, deleting PATs and project access tokens, reading grantable scopes.':
    [
      'POST /pats',
      'GET /pats',
      'GET /pats/grantable-scopes',
      'GET /pats/all',
      'POST /pats/{pat_id}/rotate',
      'POST /pats/{pat_id}/revoke',
      'DELETE /pats/{pat_id}',
      'POST /project-access-tokens',
      'GET /project-access-tokens',
      'POST /project-access-tokens/{token_id}/rotate',
      'POST /project-access-tokens/{token_id}/revoke',
      'DELETE /project-access-tokens/{token_id}',
    ],
  'Organization creation.': ['POST /organizations'],
  'SSO configuration (read, create, replace, delete, enable, require-SSO, domains, SP metadata, signed-in logout read) and beginning SP-initiated Single Logout.':
    [
      'GET /organizations/{organization_id}/sso',
      'PUT /organizations/{organization_id}/sso',
      'DELETE /organizations/{organization_id}/sso',
      'POST /organizations/{organization_id}/sso/enable',
      'POST /organizations/{organization_id}/sso/disable',
      'PUT /organizations/{organization_id}/sso/require',
      'GET /organizations/{organization_id}/sso/domains',
      'POST /organizations/{organization_id}/sso/domains',
      'POST /organizations/{organization_id}/sso/domains/{domain_id}/verify',
      'DELETE /organizations/{organization_id}/sso/domains/{domain_id}',
      'GET /organizations/{organization_id}/sso/metadata',
      'GET /organizations/{organization_id}/sso/logout',
    ],
  'GET /api/v1/audit/developer/{developer_id} (self-only).': ['GET /audit/developer/{developer_id}'],
  'Accepting organization, project or channel tester invitations.': [
    'POST /invites/{kind}/accept',
    'POST /testers/invites/accept',
  ],
};

/**
 * Interactive too, though the list does not name them: they act on a session, a password, a token of somebody else, or everything
 * about a person, or show what a person may test across organizations, to which no token reaches.
 */
const INTERACTIVE_BESIDES = [
  'POST /login/logout',
  'POST /developers/{developer_id}/change_password',
  'POST /project-access-tokens/{token_id}/take-over',
  'POST /developers/{developer_id}/exports',
  'GET /developers/{developer_id}/exports',
  'GET /exports/{export_id}',
  'GET /exports/{export_id}/download',
  'GET /testers/me/organizations',
  'GET /testers/me/projects',
  'GET /testers/me/channels',
  'GET /testers/me/channels/{channel_id}/releases',
  'GET /testers/me/channels/{channel_id}/notification-preference',
  'PUT /testers/me/channels/{channel_id}/notification-preference',
  'POST /testers/me/releases/{release_id}/install-link',
  'GET /testers/me/releases/{release_id}/icon',
  'POST /testers/me/devices/enrollments',
];

const listed = [...Object.values(REFUSED).flat(), ...INTERACTIVE_BESIDES];
const titleOf = ({ method, path }: Operation) => `${method.toUpperCase()} ${path.replace('/api/v1', '')}`;
/** The operator's own are told of in test/system.test.ts. */
const isInteractive = ({ access, isInternal }: Operation) =>
  access.kind !== 'anonymous' && access.isInteractive === true && isInternal !== true;

let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

describe('the operations that refuse tokens', () => {
  it('are exactly those that are listed here', () => {
    expect(operations.filter(isInteractive).map(titleOf).sort()).toEqual([...listed].sort());
  });

  it.each(listed)('%s answers every token with permission_denied, and asks no more of a sign-in', async (title) => {
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
  });

  it('say so in the description of the API', async () => {
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
