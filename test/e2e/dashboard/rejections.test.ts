// Rejected requests in the web app: what people are told, and where it leads them.
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { organizationMemberships, organizations, projectMemberships } from '../../../src/data/tables/tables.ts';
import { AppError } from '../../../src/lib/errors.ts';
import { makeChannel, uploadBuild } from '../../builds/scenario.ts';
import { type Account, createAccount } from '../../support/harness.ts';
import { addOrganization, addPerson, addProject, join as joinAs } from '../../support/people.ts';
import { expectAccessible } from '../accessibility.ts';
import { buildSampleApk } from '../sample-app.ts';
import { addBuilds, openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let visitor: Visitor;
let project: string;

beforeAll(async () => {
  scenario = await openScenario();
  project = `/projects/${scenario.fixture.android_project_id}`;
});
afterAll(() => scenario?.close());
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
});
afterEach(() => visitor?.leave());

async function open(path: string): Promise<void> {
  await openSignedIn(scenario, visitor, path);
}

interface Refusal {
  status: number;
  code: string;
  title: string;
  headers?: Record<string, string>;
  text?: string;
}

const refusals: Refusal[] = [
  { status: 402, code: 'billing_suspended', title: 'The organization is suspended' },
  { status: 403, code: 'insufficient_role', title: "Your role doesn't allow this" },
  { status: 403, code: 'mfa_enrollment_required', title: 'The organization requires two-factor authentication' },
  { status: 404, code: 'not_found', title: 'Not found' },
  { status: 409, code: 'dependency_exists', title: 'Still in use' },
  { status: 413, code: 'payload_too_large', title: 'Too large' },
  {
    status: 429,
    code: 'rate_limit_exceeded',
    title: 'Too many requests',
    headers: { 'retry-after': '20' },
    text: 'Try again in 20 seconds.',
  },
  { status: 500, code: 'internal_error', title: 'Something went wrong on the server' },
  { status: 418, code: 'something_new', title: 'Request rejected' },
];

describe('a rejected change', () => {
  it('shows what happened and what to do, with the request id, and keeps what was filled in', async () => {
    const { page, actions, show, expectRefusals } = visitor;
    let refusal: Refusal | undefined;
    await page.route('**/api/v1/channels?**', (route) => {
      if (route.request().method() !== 'POST' || refusal === undefined) return route.continue();
      const { status, code, headers } = refusal;
      return route.fulfill({
        status,
        headers: { 'content-type': 'application/json', 'x-request-id': `request-${code}`, ...headers },
        body: JSON.stringify({ error: code, message: `What the server says of ${code}`, details: {} }),
      });
    });
    await open(project);
    await actions.click('New channel');
    await page.getByLabel('Name', { exact: true }).fill('weekly');
    for (refusal of refusals) {
      const { status, code, title, text } = refusal;
      expectRefusals(status);
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      const alert = page.getByRole('alert');
      await alert.getByText(`What the server says of ${code}`).waitFor();
      await alert.getByText(title).waitFor();
      await alert.getByText(`request-${code}`, { exact: true }).waitFor();
      await alert.getByRole('button', { name: 'Copy Request ID' }).waitFor();
      if (text !== undefined) await alert.getByText(text).waitFor();
      await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('weekly');
      // The button that copies may be where the click was, and would show its name.
      await page.mouse.move(0, 0);
      await page.getByRole('tooltip').waitFor({ state: 'detached' });
      await show(`refused-${status}-${code}`);
    }
  });

  it('with an error of a field shows it there', async () => {
    const { page, actions, expectRefusals } = visitor;
    expectRefusals(409);
    await open(project);
    await actions.click('New channel');
    await page.getByLabel('Name', { exact: true }).fill('public');
    await scenario.client.post(
      '/api/v1/channels',
      { name: 'public' },
      {
        organization_id: scenario.fixture.organization_id,
        project_id: scenario.fixture.android_project_id,
      },
    );
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByText('Already taken').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("name")')).toBe('name');
  });
});

/** Answers of the server itself, brought about while somebody fills in a form. */
const real: { title: string; status: number; arrange(who: Account): void | Promise<void>; undo?(): void }[] = [
  ...(
    [
      ['suspended', 'The organization is suspended'],
      // Nobody can pay online here.
      ['awaiting_payment', 'The organization is locked'],
      ['grace', 'Trial expired'],
    ] as const
  ).map(([lockReason, title]) => ({
    title,
    status: 402,
    arrange: () => setLock(lockReason),
    undo: () => setLock(null),
  })),
  { title: 'Not found', status: 404, arrange: (who) => setProjectRole(who, undefined) },
  {
    title: 'Something went wrong on the server',
    status: 500,
    arrange: () => {
      vi.spyOn(database(), 'transaction').mockImplementation(() => {
        throw new Error('disk I/O error');
      });
    },
    undo: () => {
      vi.restoreAllMocks();
    },
  },
];

const setLock = (lockReason: 'suspended' | 'awaiting_payment' | 'grace' | null) => {
  const { app, organization_id: id } = scenario.fixture;
  app.db.update(organizations).set({ lockReason }).where(eq(organizations.id, id)).run();
};
/** Where every change is written: when it cannot be, nobody provided for that. */
const database = () => scenario.fixture.app.db.$client;

function setProjectRole({ developer_id: id }: Account, role: 'maintainer' | undefined): void {
  const { app, android_project_id: projectId } = scenario.fixture;
  app.db.delete(projectMemberships).where(eq(projectMemberships.developerId, id)).run();
  if (role !== undefined) joinAs(scenario.fixture, id, { projects: { [projectId]: role } });
}

describe('a change that the server rejects', () => {
  it.each(real)('with $status explains it, keeps the form, and works later: $title', async (trouble) => {
    const { page, actions, expectRefusals } = visitor;
    const { title, status, arrange, undo } = trouble;
    const name = `after ${title}`.slice(0, 40);
    const who = await createAccount(scenario.fixture, { email: `${status}-${Date.now()}@example.com` });
    joinAs(scenario.fixture, who.developer_id, { organizations: { [scenario.fixture.organization_id]: 'member' } });
    setProjectRole(who, 'maintainer');
    await openSignedIn(scenario, visitor, project, who);
    await actions.click('New channel');
    await page.getByLabel('Name', { exact: true }).fill(name);
    expectRefusals(status);
    onTestFinished(() => undo?.());
    await arrange(who);
    const create = page.getByRole('dialog').getByRole('button', { name: 'Create' });
    await create.click();
    const alert = page.getByRole('dialog').getByRole('alert');
    await alert.getByText(title, { exact: true }).waitFor();
    await expect.poll(() => alert.locator('code').textContent()).toMatch(/^[0-9a-f-]{36}$/);
    await expectAccessible(page);
    if (undo === undefined) setProjectRole(who, 'maintainer');
    else undo();
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe(name);
    await create.click();
    await page.getByRole('link', { name }).waitFor();
  });

  it('because of a lowered role shows it, and keeps the form', async () => {
    const { page, actions, expectRefusals } = visitor;
    const { app, organization_id: organizationId } = scenario.fixture;
    const who = await createAccount(scenario.fixture, { email: 'was-manager@example.com' });
    const setRole = (role: 'member' | 'manager') => {
      app.db.delete(organizationMemberships).where(eq(organizationMemberships.developerId, who.developer_id)).run();
      joinAs(scenario.fixture, who.developer_id, { organizations: { [organizationId]: role } });
    };
    setRole('manager');
    await openSignedIn(scenario, visitor, '/members', who);
    await actions.click('Invite');
    await page.getByLabel('Email address').fill('bo@example.com');
    expectRefusals(403);
    setRole('member');
    await actions.click('Create invitation');
    await page.getByRole('dialog').getByText("Your role doesn't allow this", { exact: true }).waitFor();
    await expect.poll(() => page.getByLabel('Email address').inputValue()).toBe('bo@example.com');
    setRole('manager');
    await actions.click('Create invitation');
    await actions.click('Done');
    await page.getByRole('listitem').filter({ hasText: 'bo@example.com' }).waitFor();
  });

  it('of a project with builds shows the numbers of what is deleted', async () => {
    const { page, actions } = visitor;
    addBuilds(scenario.fixture, 1);
    await open(`${project}/settings`);
    await actions.click('Delete project');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^This deletes \d+ builds?, \d+ releases?, \d+ channels?,.* and all testers/).waitFor();
    await dialog.getByRole('textbox').fill('Fixture Android');
    await dialog.getByRole('button', { name: /^Delete project and \d+ builds?$/, disabled: false }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  it('because it is too large shows the limit, and loses nothing', async () => {
    const { page, expectRefusals } = visitor;
    expectRefusals(413);
    await open(`${project}/settings`);
    const icon = { name: 'icon.png', mimeType: 'image/png', buffer: Buffer.alloc(3 * 1024 ** 2) };
    await page.locator('input[type="file"]').first().setInputFiles(icon);
    await page.getByRole('alert').getByText('Too large').waitFor();
    await page.getByRole('alert').getByRole('button', { name: 'Copy Request ID' }).waitFor();
  });
});

describe('a form that was opened before someone else saved', () => {
  it('saves and undoes only what was changed in it', async () => {
    const { page, actions } = visitor;
    const { client, fixture } = scenario;
    const { organization_id, channel_id } = fixture;
    const channelPath = `/api/v1/channels/${channel_id}`;
    const channel = async () => (await client.get(channelPath)).body;
    await open(`${project}/channels/${channel_id}`);
    await actions.click('More');
    await actions.click('Edit', 'menuitem');
    await page.getByRole('dialog').getByLabel('Description (optional)').fill('For the crew');
    expect((await client.patch(channelPath, { public: false, keep_last: 7 })).status).toBe(200);
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    const toast = page.getByRole('region', { name: 'Notifications' });
    await toast.getByText('Saved').waitFor();
    expect(await channel()).toMatchObject({ description: 'For the crew', public: false, keep_last: 7 });
    await client.patch(channelPath, { auto_distribute: true });
    await toast.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await channel()).description).toBe(null);
    expect(await channel()).toMatchObject({ public: false, keep_last: 7, auto_distribute: true });
    await client.patch(channelPath, { public: true, keep_last: null, auto_distribute: false });

    const made = await client.post('/api/v1/projects', { name: 'Old Quay', platform: 'android' }, { organization_id });
    const path = `/projects/${made.body.identifier}`;
    await open(`${path}/settings`);
    await page.getByLabel('Description (optional)').fill('A harbor');
    // Two spaces, of which a page shows one.
    await client.patch(`/api/v1${path}`, { name: 'New  Quay' });
    await actions.click('Save');
    await toast.getByText('Saved').waitFor();
    expect((await client.get(`/api/v1${path}`)).body).toMatchObject({ name: 'New  Quay', description: 'A harbor' });
    await actions.click('Delete project');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type "New Quay" to confirm').fill('New Quay');
    await dialog.getByRole('button', { name: 'Delete project' }).click();
    await toast.getByText('New Quay').waitFor();
    expect((await client.get(`/api/v1${path}`)).status).toBe(404);
  });
});

describe('a message of the server in another language', () => {
  it('is marked as such, and says no more than the texts of the page need', async () => {
    const german = await openVisitor(scenario.browser, scenario.origin, { locale: 'de-DE' });
    const { page, expectRefusals } = german;
    expectRefusals(400, 402);
    let answer = {
      status: 400,
      json: { error: 'quota_exceeded', message: 'At most 3 of these', details: {} as object },
    };
    await page.route('**/api/v1/channels?**', (route) =>
      route.request().method() === 'POST' ? route.fulfill(answer) : route.continue(),
    );
    await openSignedIn(scenario, german, project);
    await page.getByRole('button', { name: 'Neuer Kanal' }).click();
    await page.getByLabel('Name', { exact: true }).fill('weekly');
    const create = page.getByRole('dialog').getByRole('button', { name: 'Anlegen' });
    await create.click();
    const alert = page.getByRole('dialog').getByRole('alert');
    await alert.getByText('Limit erreicht', { exact: true }).waitFor();
    await alert.getByText('Der Server meldet: At most 3 of these', { exact: true }).waitFor();
    expect(await alert.locator('[lang="en"]').allInnerTexts()).toEqual(['At most 3 of these']);
    const { status, message } = new AppError('prepaid_credit_exhausted');
    answer = { status, json: { error: 'prepaid_credit_exhausted', message, details: {} } };
    await create.click();
    await alert.getByText('Das Guthaben reicht nicht aus', { exact: true }).waitFor();
    expect(await alert.locator('[lang="en"]').count()).toBe(0);
    await alert.getByRole('link', { name: 'Abrechnung öffnen' }).waitFor();
    const problem = { type: 'value_error', loc: ['body', 'name'], msg: 'Input should rhyme' };
    answer = { status: 400, json: { error: 'validation_error', message: problem.msg, details: { errors: [problem] } } };
    await create.click();
    await page.locator('[lang="en"]').getByText('Input should rhyme', { exact: true }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('weekly');
    await german.leave();
  });
});

describe('a person who may only read', () => {
  it("requests no icons of builds, which the role doesn't include", async () => {
    const { page } = visitor;
    const owner = await addPerson(scenario.fixture);
    const organizationId = await addOrganization(owner);
    const projectId = await addProject(owner.client, organizationId, { name: 'Slipway', platform: 'android' });
    const place = { organization_id: organizationId, project_id: projectId };
    const channelId = await makeChannel(owner.client, place);
    const build = await uploadBuild(owner.client, place, buildSampleApk({ build: '901' }));
    const body = { build_id: build.identifier };
    expect((await owner.client.post('/api/v1/releases', body, { ...place, channel_id: channelId })).status).toBe(201);
    const reader = await createAccount(scenario.fixture, { email: 'only-reads@example.com' });
    const roles = { organizations: { [organizationId]: 'member' }, projects: { [projectId]: 'read' } } as const;
    joinAs(scenario.fixture, reader.developer_id, roles);
    await openSignedIn(scenario, visitor, '/', reader);
    // A refused request would be a complaint of the browser.
    const own = `/projects/${projectId}`;
    for (const path of ['/', own, `${own}/builds`, `${own}/channels/${channelId}`]) {
      await page.goto(new URL(path, scenario.origin).href);
      await page.getByRole('main').getByText(String(build.version_name)).first().waitFor();
      await visitor.settle();
      expect(await page.locator('img.tw-icon').count()).toBe(0);
    }
  });
});

const mainPages = () => [
  '/',
  project,
  `${project}/builds`,
  `${project}/channels/${scenario.fixture.channel_id}`,
  '/devices',
  '/testers',
  '/groups',
  '/stores',
  '/webhooks',
  '/members',
];

describe('a page whose content is rejected', () => {
  it('shows why with the request id, and loads when it is retried', async () => {
    const { page, expectRefusals } = visitor;
    expectRefusals(403);
    await open('/me');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    let isRefused = true;
    // Who one is stays known, and in which organizations; nothing else does.
    await page.route('**/api/v1/**', (route) =>
      isRefused && !/\/(?:developers\/me|organizations|service)(?:\?|$)/.test(route.request().url())
        ? route.fulfill({
            status: 403,
            headers: { 'x-request-id': 'request-of-this-test' },
            json: { error: 'insufficient_role', message: 'Not for you', details: {} },
          })
        : route.continue(),
    );
    for (const path of mainPages()) {
      isRefused = true;
      await page.goto(new URL(path, scenario.origin).href);
      await page.getByText('request-of-this-test').first().waitFor();
      await page.getByText("Your role doesn't allow this").first().waitFor();
      await expectAccessible(page);
      isRefused = false;
      await page.getByRole('button', { name: 'Try again' }).first().click();
      await page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Your role' }).waitFor();
    }
  });

  it('because two-factor authentication is required leads to its setup', async () => {
    const { page, actions, expectRefusals } = visitor;
    const { app, organization_id: organizationId } = scenario.fixture;
    const who = await createAccount(scenario.fixture, { email: 'no-factor@example.com' });
    joinAs(scenario.fixture, who.developer_id, { organizations: { [organizationId]: 'member' } });
    const setPolicy = (mfaRequiredAt: number | null, mfaPasskeySatisfies: boolean) => {
      const policy = { mfaRequiredAt, mfaGracePeriodDays: 0, mfaPasskeySatisfies };
      app.db.update(organizations).set(policy).where(eq(organizations.id, organizationId)).run();
    };
    onTestFinished(() => setPolicy(null, true));
    expectRefusals(403);
    const ways = [
      { hasChoice: true, title: 'The organization requires two-factor authentication', hash: '#passkeys' },
      { hasChoice: false, title: 'The organization requires an authenticator app', hash: '#two-factor' },
    ];
    for (const { hasChoice, title, hash } of ways) {
      setPolicy(app.clock.time(), hasChoice);
      await openSignedIn(scenario, visitor, '/devices', who);
      await page.getByRole('heading', { name: title }).waitFor();
      await actions.click('Set up two-factor authentication', 'link');
      await page.waitForURL((url) => url.pathname === '/me' && url.hash === hash);
      await page.locator(hash).waitFor();
    }
  });
});

describe('a page that stays open', () => {
  /** What happens when its user looks at another window for a while. */
  async function returnLater(page: Visitor['page']): Promise<void> {
    await page.clock.fastForward(15_000);
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
  }

  it('shows that what it is about was deleted elsewhere, also in the title of the window', async () => {
    const { page, expectRefusals } = visitor;
    const { organization_id, android_project_id: project_id } = scenario.fixture;
    const created = await scenario.client.post('/api/v1/channels', { name: 'doomed' }, { organization_id, project_id });
    await page.clock.install();
    await open(`${project}/channels/${created.body.identifier}`);
    await page.getByRole('heading', { level: 1, name: 'doomed' }).waitFor();
    expect(await page.title()).toBe('doomed · Fixture Android · Taxiway');
    expect((await scenario.client.delete(`/api/v1/channels/${created.body.identifier}`)).status).toBe(204);
    expectRefusals(404);
    await returnLater(page);
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    await expect.poll(() => page.title()).toBe('Not found · Taxiway');
    await page.getByRole('link', { name: 'Go to home page' }).click();
    await expect.poll(() => page.title()).toBe('Home · Taxiway');
  });

  it('shows to a person who was removed that the organization is gone, once something is refused', async () => {
    const { page, expectRefusals } = visitor;
    const who = await createAccount(scenario.fixture, { email: 'was-member@example.com' });
    const { app, organization_id: id } = scenario.fixture;
    joinAs(scenario.fixture, who.developer_id, { organizations: { [id]: 'manager' } });
    await page.clock.install();
    await openSignedIn(scenario, visitor, '/', who);
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await visitor.settle();
    app.db.delete(organizationMemberships).where(eq(organizationMemberships.developerId, who.developer_id)).run();
    expectRefusals(404);
    await page.clock.fastForward(15_000);
    await page.getByRole('link', { name: 'Members', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'No organization yet' }).waitFor();
    await expect.poll(() => page.title()).toBe('No organization yet · Taxiway');
  });
});

describe('a list that the sidebar reads, too', () => {
  it('is read again by the next page after it could not be read', async () => {
    const { page, expectRefusals } = visitor;
    expectRefusals(403);
    let isRefused = true;
    await page.route('**/api/v1/projects/overview?**', (route) =>
      isRefused
        ? route.fulfill({ status: 403, json: { error: 'insufficient_role', message: '', details: {} } })
        : route.continue(),
    );
    await open('/');
    await page.getByText("Your role doesn't allow this").first().waitFor();
    isRefused = false;
    const link = (name: string) => page.getByRole('link', { name, exact: true });
    await link('Members').click();
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    await link('Home').click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await expect.poll(() => page.getByText("Your role doesn't allow this").count()).toBe(0);
    await page.getByRole('navigation').getByText('Fixture Android').first().waitFor();
  });
});

describe('an action without a form', () => {
  const answer = (path: string, status: number, json: object) =>
    visitor.page.route(`**/api/v1${path}`, (route) =>
      route.request().method() === 'GET' && status >= 400 ? route.continue() : route.fulfill({ status, json }),
    );
  const failed = { error: 'internal_error', message: '', details: {} };
  const problem = () => visitor.page.getByRole('alert').getByText('Something went wrong on the server');

  it('shows its error where it was done', async () => {
    const { page, actions, expectRefusals } = visitor;
    const { organization_id: id } = scenario.fixture;
    expectRefusals(404, 500);
    await answer(`/organizations/${id}/setup`, 500, failed);
    await open('/');
    await actions.click('Hide checklist');
    await problem().waitFor();

    const storage = await scenario.client.get<object>(`/api/v1/organizations/${id}/storage`);
    const container = {
      storage_account: 'acmebuilds',
      container: 'test-builds',
      activated_at: new Date().toISOString(),
      unreachable_since: null,
      unreachable_reason: null,
    };
    await answer(`/organizations/${id}/storage`, 200, { ...storage.body, container });
    await answer(`/organizations/${id}/byosa/diagnostics`, 200, {
      success: false,
      failure_stage: 'container_not_found',
      responsibility: 'customer',
      summary: null,
      remediation: [],
      docs_url: null,
      failure_detail: 'ContainerNotFound',
    });
    await page.goto(new URL('/settings/storage', scenario.origin).href);
    await actions.click('Check container');
    await page.getByRole('alert').getByText('ContainerNotFound').waitFor();
    await visitor.show('storage-check-failed');

    await answer('/login/logout', 500, failed);
    await page.getByRole('complementary').getByRole('button', { name: 'Account menu' }).click();
    await actions.click('Sign out', 'menuitem');
    await page.getByText('Sign-out failed: Something went wrong on the server').waitFor();
    await page.getByRole('button', { name: 'Check container' }).waitFor();
  });

  it('shows that a verification email was not sent, and that signing out for an invitation failed', async () => {
    const { page, actions, expectRefusals } = visitor;
    expectRefusals(500);
    const who = await createAccount(scenario.fixture, { email: 'unverified@example.com', isVerified: false });
    await answer('/developers/resend_verification', 500, failed);
    await openSignedIn(scenario, visitor, '/', who);
    await actions.click('Create new link');
    await problem().waitFor();

    const { organization_id, android_project_id: project_id, channel_id } = scenario.fixture;
    const place = { organization_id, project_id, channel_id };
    const made = await scenario.client.post<{ invite_url: string }>('/api/v1/channel-invites', {}, place);
    expect(made.status, made.text).toBe(201);
    await answer('/login/logout', 500, failed);
    await page.goto(scenario.origin + new URL(made.body.invite_url).pathname);
    await actions.click('Use another account');
    await problem().waitFor();
    await page.getByText('Signed in as unverified@example.com.').waitFor();
  });
});

describe('an unknown page', () => {
  it('shows that it does not exist, with the sidebar and a link to the home page', async () => {
    const { page, actions, show, expectRefusals } = visitor;
    expectRefusals(404);
    await open('/');
    await page.getByRole('heading', { level: 1, name: /^Home$|today|attention/ }).waitFor();
    await page.goto(new URL('/projects/01900000-0000-7000-8000-000000000000', scenario.origin).href);
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await show('nothing-here');
    await page.goto(new URL('/settings/of/nothing', scenario.origin).href);
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.getByRole('complementary', { name: 'Sidebar' }).waitFor();
    await actions.click('Go to home page', 'link');
    await page.getByRole('heading', { level: 1, name: /^Home$|today|attention/ }).waitFor();
  });
});
