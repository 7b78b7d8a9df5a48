// Actions in organizations, except on builds and testers, with the audit rows of each.

import { join } from 'node:path';
import { approveRequest, leaveOwnStorage, rejectRequest } from '../../src/byosa/operator.ts';
import { noteOutage, runCheckContainerJob } from '../../src/byosa/outages.ts';
import { type Storage, StorageError } from '../../src/core/storage.ts';
import { systemContext } from '../../src/core/transact.ts';
import { customerContainers, objectPlaces, storageRequests } from '../../src/data/tables/tables.ts';
import { deviceCookie } from '../../src/devices/cookie.ts';
import { setFlag } from '../../src/flags/service.ts';
import { DAY, MINUTE } from '../../src/lib/clock.ts';
import { verifyDomainByOperator } from '../../src/sso/domains.ts';
import { cleanUpAbandoned } from '../../src/storage/azure/abandoned.ts';
import { activateContainer } from '../../src/storage/azure/containers.ts';
import { openLocalStorage } from '../../src/storage/local/backend.ts';
import { moveObjects } from '../../src/storage/move-objects.ts';
import { saveAttached } from '../../src/storage/stored-objects.ts';
import { makeProvider, signAnswer } from '../sso/provider.ts';
import { begin, connect, deliver, ssoPath } from '../sso/scenario.ts';
import { api, type Client } from '../support/harness.ts';
import { addPerson, join as enter } from '../support/people.ts';
import { type Act, type AuditScenario, done, made, sendPicture } from './scenario.ts';

const admin = ({ fixture }: AuditScenario): Client => api(fixture);
const organization = ({ fixture }: AuditScenario, path = '') =>
  `/api/v1/organizations/${fixture.organization_id}${path}`;
const project = ({ fixture }: AuditScenario, path = '') => `/api/v1/projects/${fixture.android_project_id}${path}`;
const inOrganization = ({ fixture }: AuditScenario) => ({ organization_id: fixture.organization_id });
const inProject = (scenario: AuditScenario) => ({
  ...inOrganization(scenario),
  project_id: scenario.fixture.android_project_id,
});

/** Invites someone who is there, who accepts; answers who it is. */
async function invite(scenario: AuditScenario, kind: 'organization' | 'project', role: string) {
  const person = await addPerson(scenario.fixture);
  const base = kind === 'organization' ? organization(scenario) : project(scenario);
  await done(admin(scenario).post(`${base}/invites`, { email: person.email, role }));
  const invite_token = /\/invite\/\w+\/([\w-]+)/.exec((await scenario.fixture.mail.waitFor(person.email)).text)?.[1];
  await done(person.client.post(`/api/v1/invites/${kind}/accept`, { invite_token }));
  return person;
}

export const organizationActs: Act[] = [
  [
    'create, edit and delete an organization',
    [
      'created organization',
      'created org_membership',
      'edited organization',
      'edited organization',
      'deleted organization',
    ],
    async (scenario) => {
      const { text: id } = await admin(scenario).post('/api/v1/organizations', { name: 'Second' });
      await done(admin(scenario).patch(`/api/v1/organizations/${id}`, { name: 'Renamed' }));
      await done(sendPicture(admin(scenario), `/api/v1/organizations/${id}/icon`));
      await done(admin(scenario).delete(`/api/v1/organizations/${id}`));
    },
  ],
  [
    'invite a member who accepts, change their role and remove them',
    [
      'created org_invite',
      'accepted org_invite',
      'created org_membership',
      'edited org_membership',
      'deleted org_membership',
    ],
    async (scenario) => {
      const { id } = await invite(scenario, 'organization', 'member');
      await done(admin(scenario).patch(organization(scenario, `/members/${id}`), { role: 'manager' }));
      await done(admin(scenario).delete(organization(scenario, `/members/${id}`)));
    },
  ],
  [
    'resend an invitation of a member, and revoke it',
    ['created org_invite', 'reinvited org_invite', 'revoked org_invite'],
    async (scenario) => {
      const id = await made(
        admin(scenario).post(organization(scenario, '/invites'), { email: 'new@example.com', role: 'member' }),
      );
      await done(admin(scenario).post(organization(scenario, `/invites/${id}/resend`)));
      await done(admin(scenario).delete(organization(scenario, `/invites/${id}`)));
    },
  ],
  [
    'invite people with projects: one signs up with a copied link, one declines',
    [
      'created org_invite',
      'created developer',
      'accepted org_invite',
      'created org_membership',
      'created project_membership',
      'login_succeeded developer',
      'created org_invite',
      'revoked org_invite',
    ],
    async (scenario) => {
      const projects = [{ project_id: scenario.fixture.android_project_id, role: 'read' }];
      const invites = organization(scenario, '/invites');
      const asked = { email: 'copied@example.com', role: 'member', projects };
      const { accept_url } = await done(admin(scenario).post(invites, asked));
      const body = {
        invite_token: String(accept_url).split('/').at(-1),
        display_name: 'Cy',
        password: 'a copied link',
      };
      await done(api(scenario.fixture, null).post('/api/v1/invites/organization/sign-up', body));
      const person = await addPerson(scenario.fixture);
      const id = await made(admin(scenario).post(invites, { email: person.email, role: 'member', projects }));
      await done(person.client.post(`/api/v1/developers/me/invitations/${id}/decline`));
    },
  ],
  [
    'require two-factor authentication',
    ['org_mfa_policy_changed org_mfa_policy'],
    async (scenario) => {
      const policy = { required: true, grace_period_days: 30, passkey_satisfies: true };
      await done(admin(scenario).put(organization(scenario, '/mfa-policy'), policy));
    },
  ],
  [
    'configure single sign-on',
    [
      'org_sso_config_changed org_sso',
      'org_sso_config_changed org_sso',
      'created org_sso_domain',
      'org_sso_domain_verification_changed org_sso_domain',
    ],
    async (scenario) => connect(scenario.fixture, await makeProvider()),
  ],
  [
    'sign in with single sign-on, successfully and not, and send a logout message that is rejected',
    [
      'org_sso_config_changed org_sso',
      'created developer',
      'created org_membership',
      'sso_login_succeeded org_sso',
      'login_failed org_sso',
      'logout_failed org_sso',
    ],
    async (scenario) => {
      const provider = await makeProvider();
      await connect(scenario.fixture, provider, { domains: [] });
      const started = await begin(scenario.fixture);
      const answer = signAnswer(provider, started.target);
      await deliver(scenario.fixture, answer, { cookie: started.cookie });
      await deliver(scenario.fixture, answer, { cookie: started.cookie });
      await fetch(`${scenario.fixture.url}${ssoPath(scenario.fixture.organization_id)}/slo`);
    },
  ],
  [
    'claim a domain, verify it as the operator, and remove it',
    ['created org_sso_domain', 'org_sso_domain_verification_changed org_sso_domain', 'deleted org_sso_domain'],
    async (scenario) => {
      const id = await made(
        admin(scenario).post(organization(scenario, '/sso/domains'), { domain: 'claimed.example' }),
      );
      verifyDomainByOperator(systemContext(scenario.fixture.app), scenario.fixture.organization_id, 'claimed.example');
      await done(admin(scenario).delete(organization(scenario, `/sso/domains/${id}`)));
    },
  ],
  [
    'lose and find the container of an organization, and leave it',
    ['storage_unreachable storage_backend', 'storage_reachable storage_backend', 'storage_left storage_backend'],
    async ({ fixture: { app, organization_id: organizationId } }) => {
      const ctx = systemContext(app);
      const ids = { tenantId: app.ids.next(), clientId: app.ids.next() };
      const connection = { organizationId, account: 'acmebuilds', container: 'lost', ...ids, secret: null };
      const id = ctx.transact((tx) => activateContainer(tx, connection), { bookkeeping: true });
      const failure = new StorageError('unavailable', 'it does not respond');
      noteOutage(ctx, id, failure);
      app.db
        .update(customerContainers)
        .set({ unreachableSince: ctx.clock.now().getTime() - 6 * MINUTE })
        .run();
      const check = (probe: () => Promise<void>) =>
        runCheckContainerJob({ ...ctx, storage: { ...app.storage, probe } }, { container_id: id });
      await check(() => Promise.reject(failure));
      await check(async () => undefined);
      leaveOwnStorage(ctx, organizationId);
      app.db.delete(customerContainers).run();
    },
  ],
  [
    "abandon the container of a deleted organization that doesn't respond",
    ['storage_abandoned storage_backend'],
    async ({ fixture: { app, organization_id: organizationId } }) => {
      const ctx = systemContext(app);
      const ids = { tenantId: app.ids.next(), clientId: app.ids.next() };
      const connection = { organizationId, account: 'acmebuilds', container: 'given-up', ...ids, secret: null };
      ctx.transact((tx) => activateContainer(tx, connection), { bookkeeping: true });
      const longAgo = ctx.clock.now().getTime() - 31 * DAY;
      const gone = { organizationId: null, unreachableSince: longAgo, orphanedAt: longAgo };
      app.db.update(customerContainers).set(gone).run();
      const place = `azure:${app.db.select().from(customerContainers).get()?.id}` as const;
      app.db.insert(objectPlaces).values({ objectKey: 'builds/gone/package.apk', backend: place }).run();
      await cleanUpAbandoned(ctx);
    },
  ],
  [
    'replace the secret key',
    ['secret_key_rotated server'],
    async ({ fixture: { app } }) => {
      // Without its effects, which end the access tokens of the other actions.
      const facts = { identifier: 'a1b2c3d4', organizationId: null, details: { values: 1, damaged: 0 } };
      systemContext(app).transact((tx) => tx.record('secret_key.rotated', facts));
    },
  ],
  [
    'move the stored objects of an organization',
    ['storage_moved storage', 'storage_moved storage'],
    async ({ fixture: { app, config, organization_id: organizationId } }) => {
      const directory = join(config.server.data_dir, 'other-blobs');
      const facts = { baseUrl: '', keyring: app.secrets.keyring, clock: app.clock };
      (app.storage.attached as Map<string, Storage>).set('s3', openLocalStorage({ directory, ...facts }));
      saveAttached(systemContext(app));
      await moveObjects(systemContext(app), { to: 's3', organizationId });
    },
  ],
  [
    'request an own container, which the operator rejects, then approves, and withdraw a request',
    [
      'storage_onboarding_requested storage_onboarding_request',
      'storage_onboarding_rejected storage_onboarding_request',
      'storage_onboarding_requested storage_onboarding_request',
      'accepted storage_onboarding_request',
      'storage_onboarding_requested storage_onboarding_request',
      'storage_onboarding_withdrawn storage_onboarding_request',
    ],
    async (scenario) => {
      const { app } = scenario.fixture;
      const path = organization(scenario, '/byosa/onboarding-request');
      const ids = { tenant_id: app.ids.next(), client_id: app.ids.next() };
      const body = {
        ...ids,
        storage_account: 'acmebuilds',
        container: 'builds',
        client_secret: 'a-secret-of-the-cloud',
      };
      rejectRequest(systemContext(app), await made(admin(scenario).post(path, body)), 'Another region');
      const id = await made(admin(scenario).post(path, body));
      app.db.update(storageRequests).set({ status: 'awaiting_approval' }).run();
      approveRequest(systemContext(app), id);
      await made(admin(scenario).post(path, body));
      await done(admin(scenario).delete(path));
      // The later actions are about packages on the server.
      app.db.delete(customerContainers).run();
    },
  ],
  [
    'set a feature flag',
    ['edited feature_flag'],
    async ({ fixture }) =>
      systemContext(fixture.app).transact((tx) => setFlag(tx, 'beta_dashboard', fixture.organization_id, true)),
  ],
  [
    'create, edit and delete a project',
    ['created project', 'edited project', 'edited project', 'deleted project'],
    async (scenario) => {
      const body = { name: 'Walker', platform: 'ios' };
      const id = await made(admin(scenario).post('/api/v1/projects', body, inOrganization(scenario)));
      await done(admin(scenario).patch(`/api/v1/projects/${id}`, { description: 'Walks' }));
      await done(sendPicture(admin(scenario), `/api/v1/projects/${id}/icon`));
      await done(admin(scenario).delete(`/api/v1/projects/${id}`));
    },
  ],
  [
    'link two projects of an app, and unlink them',
    ['linked project', 'unlinked project'],
    async (scenario) => {
      const { ios_project_id: id } = scenario.fixture;
      await done(admin(scenario).put(project(scenario, '/sibling'), { sibling_project_id: id }));
      await done(admin(scenario).delete(project(scenario, '/sibling')));
    },
  ],
  [
    'invite a person who accepts to a project, change their role and remove them',
    [
      'created project_invite',
      'accepted project_invite',
      'created org_membership',
      'created project_membership',
      'edited project_membership',
      'deleted project_membership',
    ],
    async (scenario) => {
      const { id } = await invite(scenario, 'project', 'read');
      await done(admin(scenario).patch(project(scenario, `/members/${id}`), { role: 'maintainer' }));
      await done(admin(scenario).delete(project(scenario, `/members/${id}`)));
    },
  ],
  [
    'remove a member from a project that an older invitation to the organization contains',
    ['created org_invite', 'edited org_invite', 'deleted project_membership'],
    async (scenario) => {
      const { fixture } = scenario;
      const { organization_id: organizationId, android_project_id: projectId } = fixture;
      const { id, email } = await addPerson(fixture);
      const projects = [{ project_id: projectId, role: 'admin' }];
      await made(admin(scenario).post(organization(scenario, '/invites'), { email, role: 'member', projects }));
      enter(fixture, id, { organizations: { [organizationId]: 'member' }, projects: { [projectId]: 'read' } });
      await done(admin(scenario).delete(project(scenario, `/members/${id}`)));
    },
  ],
  [
    'resend an invitation to a project, and revoke it',
    ['created project_invite', 'reinvited project_invite', 'revoked project_invite'],
    async (scenario) => {
      const body = { email: 'new@example.com', role: 'read' };
      const id = await made(admin(scenario).post(project(scenario, '/invites'), body));
      await done(admin(scenario).post(project(scenario, `/invites/${id}/resend`)));
      await done(admin(scenario).delete(project(scenario, `/invites/${id}`)));
    },
  ],
  [
    'create, rotate, revoke and delete a project access token',
    [
      'project_access_token_created project_access_token',
      'project_access_token_rotated project_access_token',
      'project_access_token_revoked project_access_token',
      'project_access_token_deleted project_access_token',
    ],
    async (scenario) => {
      const path = '/api/v1/project-access-tokens';
      const id = await made(admin(scenario).post(path, { name: 'ci', role: 'read' }, inProject(scenario)));
      await done(admin(scenario).post(`${path}/${id}/rotate`));
      await done(admin(scenario).post(`${path}/${id}/revoke`));
      await done(admin(scenario).delete(`${path}/${id}`));
    },
  ],
  [
    'leave the organization, which ends what depended on the role',
    [
      'created org_invite',
      'created project_invite',
      'created channel_tester_invite',
      'project_access_token_created project_access_token',
      'revoked org_invite',
      'revoked project_invite',
      'revoked channel_tester_invite',
      'deleted org_membership',
      'edited project_access_token',
    ],
    async (scenario) => {
      const { fixture } = scenario;
      const { client, id } = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'manager' } });
      const inChannel = {
        ...inProject(scenario),
        project_id: fixture.android_project_id,
        channel_id: fixture.channel_id,
      };
      await made(client.post(organization(scenario, '/invites'), { email: 'one@example.com', role: 'member' }));
      await made(client.post(project(scenario, '/invites'), { email: 'two@example.com', role: 'read' }));
      await made(client.post('/api/v1/channel-invites', { email: 'three@example.com' }, inChannel));
      const path = '/api/v1/project-access-tokens';
      const token = await made(client.post(path, { name: 'ci', role: 'read' }, inProject(scenario)));
      await done(admin(scenario).delete(organization(scenario, `/members/${id}`)));
      await done(admin(scenario).post(`${path}/${token}/take-over`));
    },
  ],
  [
    'create, rotate, revoke and delete a personal access token',
    ['created pat', 'edited pat', 'revoked pat', 'deleted pat'],
    async (scenario) => {
      const path = '/api/v1/pats';
      const id = await made(admin(scenario).post(path, { name: 'script', scopes: 1 }, inOrganization(scenario)));
      await done(admin(scenario).post(`${path}/${id}/rotate`));
      await done(admin(scenario).post(`${path}/${id}/revoke`));
      await done(admin(scenario).delete(`${path}/${id}`, inOrganization(scenario)));
    },
  ],
  [
    'create, change and delete a webhook',
    [
      'created webhook_subscription',
      'edited webhook_subscription',
      'edited webhook_subscription',
      'deleted webhook_subscription',
    ],
    async (scenario) => {
      const path = '/api/v1/webhooks';
      const body = { url: 'https://hooks.example.com/a-long-secret-path', events: ['release.created'] };
      scenario.secrets.add(body.url);
      const id = await made(admin(scenario).post(path, body, inOrganization(scenario)));
      await done(admin(scenario).patch(`${path}/${id}`, { description: 'CI' }));
      await done(admin(scenario).post(`${path}/${id}/rotate-secret`));
      await done(admin(scenario).delete(`${path}/${id}`));
    },
  ],
  [
    'register a device by hand and with an enrollment link',
    ['device_registered device', 'edited device', 'deleted device', 'created device_enrollment'],
    async (scenario) => {
      const body = { udid: '00008030-001C2D3E4F50602E', name: 'Phone' };
      const id = await made(admin(scenario).post('/api/v1/devices', body, inOrganization(scenario)));
      await done(admin(scenario).patch(`/api/v1/devices/${id}`, { name: 'Old phone' }));
      await done(admin(scenario).delete(`/api/v1/devices/${id}`));
      await done(admin(scenario).post('/api/v1/devices/enrollments', {}, inOrganization(scenario)));
    },
  ],
  [
    'register a phone on the install page of a channel',
    [
      'created channel',
      'created device_enrollment',
      'device_registered device',
      'created waiting_device',
      'deleted waiting_device',
    ],
    async (scenario) => {
      const { admin: account, ios_project_id: projectId, app, url } = scenario.fixture;
      const query = { ...inOrganization(scenario), project_id: projectId };
      const channelId = await made(admin(scenario).post('/api/v1/channels', { name: 'Phones', public: true }, query));
      const register = async (cookie: string) => {
        const headers = { cookie: `svc_access=${account.access_token}; ${cookie}`, 'sec-fetch-site': 'same-origin' };
        const path = `/install/channels/${channelId}/register-device`;
        const sent = await fetch(url + path, { method: 'POST', headers, redirect: 'manual' });
        if (sent.status !== 302) throw new Error(`registered: ${sent.status}`);
      };
      await register('');
      const body = { udid: '00008030-001C2D3E4F50602F', name: 'Phone' };
      const id = await made(admin(scenario).post('/api/v1/devices', body, inOrganization(scenario)));
      await register(deviceCookie(app, id).split(';')[0] ?? '');
      await done(admin(scenario).delete(`/api/v1/channels/${channelId}/waiting-devices/${id}`));
    },
  ],
];
