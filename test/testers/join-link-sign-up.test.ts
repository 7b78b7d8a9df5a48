// Signing up with a join link: it counts as an invitation, and the account joins when its address is verified.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { reachesChannel } from '../../src/channels/audience.ts';
import { developers, joinLinkSignUps, joinLinks, organizations } from '../../src/data/tables/tables.ts';
import { HOUR } from '../../src/lib/clock.ts';
import { api, auditMark, auditRows, comparable, expectRefusal } from '../support/harness.ts';
import { mailKinds, newestToken } from '../support/mailbox.ts';
import { addPerson } from '../support/people.ts';
import { type Channel, startTesterScenario, type TesterScenario } from './scenario.ts';

const PASSWORD = 'a staple of horses';

let scenario: TesterScenario;
let channel: Channel;
let counter = 0;

beforeAll(async () => {
  scenario = await startTesterScenario({ config: { accounts: { signup: 'invited' } } });
});
afterAll(() => scenario?.fixture.stop());
beforeEach(async () => {
  channel = await scenario.makeChannel();
});

async function makeToken(body: Record<string, unknown> = {}): Promise<string> {
  const answer = await scenario.admin.post<{ join_url: string }>(`${channel.path}/join-links`, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.join_url.split('/').at(-1) ?? '';
}

const newAddress = (domain = 'newcomers.example') => {
  counter += 1;
  return `newcomer-${counter}@${domain}`;
};

const signUp = (email: string, joinToken?: string, { fixture } = scenario, password = PASSWORD) =>
  api(fixture, null).post('/api/v1/developers', {
    email,
    password,
    display_name: 'Newcomer',
    ...(joinToken === undefined ? {} : { join_token: joinToken }),
  });

const findAccount = (email: string, { fixture } = scenario) =>
  fixture.app.db.select().from(developers).where(eq(developers.email, email)).get();

async function verify(email: string, { fixture } = scenario): Promise<void> {
  const token = newestToken(fixture, email, /Confirm your email/);
  expect((await api(fixture, null).post('/api/v1/developers/verify_email', { token })).status).toBe(200);
}

const reaches = (email: string) => reachesChannel(scenario.fixture.app, findAccount(email)?.id ?? '', channel.id);
const joined = () =>
  scenario.fixture.app.db.select().from(joinLinks).where(eq(joinLinks.channelId, channel.id)).get()?.joined;

describe('signing up by invitation only, with a join link', () => {
  it('creates the account, which joins when its address is verified', async () => {
    const token = await makeToken({ email_domain: 'newcomers.example', label: 'Meetup' });
    const email = newAddress();
    expect((await signUp(email, token)).status).toBe(202);
    expect([reaches(email), joined()]).toEqual([false, 0]);
    const mark = auditMark(scenario.fixture);
    await verify(email);
    const account = findAccount(email);
    expect([reaches(email), joined()]).toEqual([true, 1]);
    const details = { channel_id: channel.id, email, developer_id: account?.id };
    expect(auditRows(scenario.fixture, { after: mark })).toMatchObject([
      { event: 'email_verified', type: 'developer' },
      { event: 'accepted', type: 'join_link', details: { ...details, label: 'Meetup' } },
      { event: 'created', type: 'channel_tester_grant', details },
    ]);
    expect(mailKinds(scenario.fixture, email)).toEqual(['verify_email']);
    expect(scenario.fixture.app.db.select().from(joinLinkSignUps).all()).toEqual([]);
  });

  it('responds the same and creates nothing with a token that does not work', async () => {
    const soon = new Date(scenario.fixture.clock.now().getTime() + HOUR).toISOString();
    const [expired, full, elsewhere] = [
      await makeToken({ expires_at: soon }),
      await makeToken({ max_people: 1 }),
      await makeToken({ email_domain: 'example.org' }),
    ];
    scenario.fixture.app.db.update(joinLinks).set({ joined: 1 }).where(eq(joinLinks.maxPeople, 1)).run();
    scenario.fixture.clock.advance(HOUR);
    const expected = comparable(await signUp(newAddress(), await makeToken()));
    for (const token of [undefined, 'svc_join_unknown', expired, full, elsewhere]) {
      const email = newAddress();
      expect(comparable(await signUp(email, token))).toEqual(expected);
      expect([findAccount(email), mailKinds(scenario.fixture, email)]).toEqual([undefined, []]);
    }
  });

  it('creates nothing while the organization is locked', async () => {
    const token = await makeToken();
    const { db } = scenario.fixture.app;
    const lock = (lockReason: 'suspended' | null) =>
      db.update(organizations).set({ lockReason }).where(eq(organizations.id, scenario.fixture.organization_id)).run();
    const email = newAddress();
    lock('suspended');
    await signUp(email, token);
    lock(null);
    expect(findAccount(email)).toBeUndefined();
  });

  it('keeps the account without access if the link no longer works when the address is verified', async () => {
    const token = await makeToken({ max_people: 1 });
    const [first, second] = [newAddress(), newAddress()];
    await signUp(first, token);
    await signUp(second, token);
    await verify(second);
    await verify(first);
    expect([reaches(second), reaches(first), joined()]).toEqual([true, false, 1]);
    expect(findAccount(first)?.emailVerifiedAt).not.toBeNull();
  });

  it('joins nobody whose address was used to sign up by someone else as well', async () => {
    const token = await makeToken();
    const email = newAddress();
    await signUp(email, token);
    await signUp(email, token, scenario, 'chosen by someone else');
    await verify(email);
    expect([reaches(email), joined()]).toEqual([false, 0]);
  });

  it('joins once if the sign-up is repeated with the same password', async () => {
    const token = await makeToken();
    const email = newAddress();
    await signUp(email, token);
    await signUp(email, token);
    await verify(email);
    expect([reaches(email), joined()]).toEqual([true, 1]);
  });

  it('changes nothing about an account that exists', async () => {
    const token = await makeToken();
    const person = await addPerson(scenario.fixture);
    const expected = comparable(await signUp(newAddress(), token));
    expect(comparable(await signUp(person.email, token))).toEqual(expected);
    expect([reaches(person.email), mailKinds(scenario.fixture, person.email)]).toEqual([false, ['account_exists']]);
  });
});

describe('signing up with a join link', () => {
  it('is impossible while sign-up is closed, and its page does not offer it', async () => {
    await using closed = await startTesterScenario({ config: { accounts: { signup: 'closed' } } });
    const { path } = await closed.makeChannel();
    const made = await closed.admin.post<{ join_url: string }>(`${path}/join-links`, {});
    const page = await api(closed.fixture, null).get(new URL(made.body.join_url).pathname);
    expect([page.text.includes('/sign-in?back='), page.text.includes('/sign-up')]).toEqual([true, false]);
    const token = made.body.join_url.split('/').at(-1);
    expectRefusal(await signUp(newAddress(), token, closed), 400, 'operation_not_allowed');
  });

  it('joins on a server where everyone can sign up', async () => {
    await using everyone = await startTesterScenario();
    const { id, path } = await everyone.makeChannel();
    const made = await everyone.admin.post<{ join_url: string }>(`${path}/join-links`, {});
    const email = newAddress();
    expect((await signUp(email, made.body.join_url.split('/').at(-1), everyone)).status).toBe(202);
    await verify(email, everyone);
    expect(reachesChannel(everyone.fixture.app, findAccount(email, everyone)?.id ?? '', id)).toBe(true);
  });
});
