// The ways from an invitation or a join link to an account, all at the same moment: each thing happens once.
import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  developers,
  emailCodes,
  joinLinks,
  organizationMemberships,
  testerGrants,
} from '../../src/data/tables/tables.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { type EmailBrowser, openEmailBrowser, otherCode, readCode, SENDS_MAIL } from '../support/email-sign-in.ts';
import { type Answer, api, auditMark, auditRows, expectRefusal, type Json } from '../support/harness.ts';
import { mailsTo } from '../support/mailbox.ts';
import { addPerson, type Person } from '../support/people.ts';
import { startTesterScenario, type TesterScenario } from '../testers/scenario.ts';

const PASSWORD = 'a long enough password';

let scenario: TesterScenario;
let organizationPath: string;
beforeAll(async () => {
  scenario = await startTesterScenario({ config: { mail: SENDS_MAIL } });
  organizationPath = `/api/v1/organizations/${scenario.fixture.organization_id}`;
});
afterAll(() => scenario?.fixture.stop());

interface Invitation extends Json {
  identifier: string;
  accept_url: string;
}

interface Invited {
  email: string;
  id: string;
  mailed: string;
  browser: EmailBrowser;
  code: string;
}

/** An invited address without an account, and a code that its browser requested. */
async function invite(email = `racer-${scenario.fixture.app.ids.next()}@races.example`): Promise<Invited> {
  const { fixture, admin } = scenario;
  const { status, body, text } = await admin.post<Invitation>(`${organizationPath}/invites`, { email, role: 'member' });
  expect(status, text).toBe(201);
  const mail = mailsTo(fixture, email).at(-1);
  const mailed = /\/invite\/\w+\/([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '';
  const browser = openEmailBrowser(fixture);
  expect((await browser.request(email)).status).toBe(202);
  return { email, id: body.identifier, mailed, browser, code: (await readCode(fixture, email)).code };
}

const signUp = ({ mailed }: Invited) =>
  api(scenario.fixture, null).post('/api/v1/invites/organization/sign-up', {
    invite_token: mailed,
    display_name: 'Racer',
    password: PASSWORD,
  });
const byCode = ({ browser, code }: Invited) => browser.confirm({ code });
const revoke = ({ id }: Invited) => scenario.admin.delete(`${organizationPath}/invites/${id}`);
const plainSignUp = ({ email }: Invited) =>
  api(scenario.fixture, null).post('/api/v1/developers', { email, password: PASSWORD, display_name: 'Racer' });

type Work = (invited: Invited) => Promise<Answer<unknown>>;
const work: Record<string, Work> = { signUp, byCode, revoke, plainSignUp };

function stateOf(email: string) {
  const { db } = scenario.fixture.app;
  const accounts = db.select().from(developers).where(eq(developers.email, email)).all();
  const { organizationId, developerId } = organizationMemberships;
  const members = accounts.flatMap(({ id }) =>
    db
      .select()
      .from(organizationMemberships)
      .where(and(eq(developerId, id), eq(organizationId, scenario.fixture.organization_id)))
      .all(),
  );
  return { accounts, members };
}

describe('an invitation at the same moment', () => {
  it.each([
    ['signUp', 'byCode', 'revoke'],
    ['byCode', 'signUp', 'revoke'],
    ['revoke', 'byCode', 'signUp'],
    ['signUp', 'signUp', 'byCode', 'byCode', 'revoke', 'revoke'],
    ['plainSignUp', 'signUp', 'byCode'],
    ['signUp', 'plainSignUp', 'plainSignUp', 'byCode'],
  ])('creates at most one account and one membership: %s, %s, %s', async (...order) => {
    const invited = await invite();
    const after = auditMark(scenario.fixture);
    const answers = await Promise.all(order.map((name) => work[name]?.(invited)));
    const outcomes = order.map((name, at) => [name, answers[at]?.status ?? 0] as const);
    expect(outcomes.filter(([, status]) => status >= 500)).toEqual([]);
    const { accounts, members } = stateOf(invited.email);
    const done = (name: string, status: number) => outcomes.filter((entry) => entry[0] === name && entry[1] === status);
    const rows = auditRows(scenario.fixture, { after });
    const count = (event: string, type: string) =>
      rows.filter((row) => row.event === event && row.type === type).length;
    const ofAccount = rows.filter((row) => row.event === 'created' && row.type === 'developer');
    const accepted = done('signUp', 200).length;
    const signedIn = accepted + done('byCode', 200).length;
    // None if the invitation was revoked first.
    const created = signedIn > 0 || order.includes('plainSignUp') ? 1 : 0;
    expect([accounts.length, ofAccount.length]).toEqual([created, created]);
    expect(accepted).toBeLessThanOrEqual(1);
    expect(done('byCode', 200).length).toBeLessThanOrEqual(1);
    const ends = [members.length, count('accepted', 'org_invite'), count('created', 'org_membership')];
    expect(ends).toEqual([accepted, accepted, accepted]);
    expect(accepted + done('revoke', 204).length).toBeLessThanOrEqual(1);
    expect(count('revoked', 'org_invite')).toBe(done('revoke', 204).length);
    // Anyone who signed in has a verified address.
    expect(accounts.filter(({ emailVerifiedAt }) => emailVerifiedAt !== null)).toHaveLength(signedIn > 0 ? 1 : 0);
  });

  it('is accepted once by a person with an account, or revoked', async () => {
    for (const isRevokedFirst of [true, false]) {
      const person = await addPerson(scenario.fixture);
      const invited = await invite(person.email);
      const accepting = [
        () => person.client.post('/api/v1/invites/organization/accept', { invite_token: invited.mailed }),
        () => person.client.post(`/api/v1/developers/me/invitations/${invited.id}/accept`),
        () => signUp(invited),
      ];
      const all = isRevokedFirst ? [() => revoke(invited), ...accepting] : [...accepting, () => revoke(invited)];
      const statuses = (await Promise.all(all.map((send) => send()))).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200 || status === 204)).toHaveLength(1);
      const { accounts, members } = stateOf(person.email);
      expect([accounts.length, members.length]).toEqual([1, statuses.includes(204) ? 0 : 1]);
    }
  });
});

describe('a code at the same moment', () => {
  it('works once for twenty correct attempts', async () => {
    const invited = await invite();
    const after = auditMark(scenario.fixture);
    const answers = await Promise.all(Array.from({ length: 20 }, () => byCode(invited)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const events = auditRows(scenario.fixture, { after }).map(({ event }) => event);
    expect(events.filter((event) => event === 'created' || event === 'login_succeeded')).toEqual([
      'created',
      'login_succeeded',
    ]);
  });

  it('counts exactly five incorrect attempts, and none of them or of later ones signs in', async () => {
    const invited = await invite();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => invited.browser.confirm({ code: otherCode(invited.code, at + 1) })),
    );
    expect(answers.filter(({ status }) => status === 200)).toEqual([]);
    const row = scenario.fixture.app.db.select().from(emailCodes).where(eq(emailCodes.email, invited.email)).get();
    expect(row?.failures).toBe(5);
    // When the account accepts attempts again, the code itself no longer works.
    scenario.fixture.clock.advance(2 * MINUTE);
    expectRefusal(await byCode(invited), 401, 'unauthorized');
    expect(stateOf(invited.email).accounts).toEqual([]);
  });
});

describe('the last place of a join link', () => {
  let people: Person[];
  beforeEach(async () => {
    people = await Promise.all(Array.from({ length: 4 }, () => scenario.person()));
  });

  it('goes to one of the people who join, sign up and verify their address, or is revoked', async () => {
    const { fixture, admin } = scenario;
    const channel = await scenario.makeChannel();
    const made = await admin.post<{ identifier: string; join_url: string }>(`${channel.path}/join-links`, {
      max_people: 1,
    });
    const path = new URL(made.body.join_url).pathname;
    const emails = [0, 1].map((at) => `racer-${at}-${fixture.app.ids.next()}@races.example`);
    for (const email of emails) {
      const body = { email, password: PASSWORD, display_name: 'Racer', join_token: path.split('/').at(-1) };
      expect((await api(fixture, null).post('/api/v1/developers', body)).status).toBe(202);
    }
    await fixture.app.jobs.drain();
    const after = auditMark(fixture);
    const sends = [
      ...people.map((person) => async () => {
        const headers = { cookie: `svc_access=${person.accessToken}`, 'sec-fetch-site': 'same-origin' };
        return (await fetch(fixture.url + path, { method: 'POST', headers, redirect: 'manual' })).status;
      }),
      ...emails.map((email) => async () => {
        const token = /token=(\S+)/.exec(mailsTo(fixture, email).at(-1)?.text ?? '')?.[1];
        return (await api(fixture, null).post('/api/v1/developers/verify_email', { token })).status;
      }),
      async () => (await admin.delete(`${channel.path}/join-links/${made.body.identifier}`)).status,
    ];
    await Promise.all(sends.toReversed().map((send) => send()));
    const grants = fixture.app.db.select().from(testerGrants).where(eq(testerGrants.targetId, channel.id)).all();
    const link = fixture.app.db.select().from(joinLinks).where(eq(joinLinks.id, made.body.identifier)).get();
    const rows = auditRows(fixture, { after }).filter(({ type }) => type === 'join_link');
    const accepted = rows.filter(({ event }) => event === 'accepted');
    expect(grants.length).toBeLessThanOrEqual(1);
    expect([link?.joined, accepted.length]).toEqual([grants.length, grants.length]);
    expect(rows.filter(({ event }) => event === 'revoked')).toHaveLength(1);
    expect(link?.revokedAt).not.toBeNull();
  });
});
