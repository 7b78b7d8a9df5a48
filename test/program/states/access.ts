// States of invitations and tester grants.
import { expect } from 'vitest';
import { DAY, MINUTE } from '../../../src/lib/clock.ts';
import { type Client, expectRefusal, type Json, type Page } from '../../support/harness.ts';
import { newestToken } from '../../support/mailbox.ts';
import { addPerson, addTeam, join, type Person } from '../../support/people.ts';
import type { Channel, TesterScenario } from '../../testers/scenario.ts';
import { clientNow, type Shows } from './move.ts';

const PASSWORD = 'a password for the states';

interface ChannelInvite extends Json {
  identifier: string;
  invite_token: string;
}

async function inviteToChannel({ admin }: TesterScenario, channel: Channel, email: string): Promise<ChannelInvite> {
  const answer = await admin.post<ChannelInvite>('/api/v1/channel-invites', { email }, channel.query);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

const acceptChannel = (client: Client, token: string) =>
  client.post('/api/v1/testers/invites/accept', { invite_token: token });
const listInvites = async ({ admin }: TesterScenario, channel: Channel) =>
  (await admin.get<Page>('/api/v1/channel-invites', channel.query)).body.items;
const reaches = async (scenario: TesterScenario, person: Person, channel: Channel) => {
  const client = await clientNow(scenario, person);
  const answer = await client.get<Page>('/api/v1/testers/me/channels', channel.query);
  return (
    answer.status === 200 &&
    answer.body.items.some(({ channel_id, identifier }) => [channel_id, identifier].includes(channel.id))
  );
};

/** An invitation of a person into an organization or a project by one of two admins, with the link of the email. */
async function inviteMember({ fixture }: TesterScenario, kind: 'organization' | 'project', person?: { email: string }) {
  const team = await addTeam(fixture);
  const sender = await addPerson(fixture, { organizations: { [team.organizationId]: 'admin' } });
  const guest = person === undefined ? await addPerson(fixture) : { id: '', client: team.admin.client, ...person };
  const base = kind === 'organization' ? team.organizationPath : team.projectPath;
  const role = kind === 'organization' ? 'manager' : 'read';
  const made = await sender.client.post(`${base}/invites`, { email: guest.email, role });
  expect(made.status, made.text).toBe(201);
  const text = fixture.mail.messages.findLast(({ to }) => to === guest.email)?.text ?? '';
  return {
    team,
    sender,
    guest,
    id: String(made.body.identifier),
    path: `${base}/invites/${made.body.identifier}`,
    token: new RegExp(`/invite/${kind}/([\\w-]+)`).exec(text)?.[1] ?? '',
    expiresAt: Date.parse(String(made.body.expires_at)),
  };
}

/** Makes an invited person a member in another way. Returns the path of the membership. */
function becomeMember({ fixture }: TesterScenario, { team, guest }: Awaited<ReturnType<typeof inviteMember>>): string {
  join(fixture, guest.id, { organizations: { [team.organizationId]: 'member' } });
  return `${team.organizationPath}/members/${guest.id}`;
}

const acceptMember = (client: Client, kind: string, token: string) =>
  client.post(`/api/v1/invites/${kind}/accept`, { invite_token: token });

const signUpInvited = ({ admin }: TesterScenario, kind: string, token: string) =>
  admin
    .as(null)
    .post(`/api/v1/invites/${kind}/sign-up`, { invite_token: token, display_name: 'Tess', password: PASSWORD });

/** Changes the role of the person who sent an invitation. */
async function demote(
  { team, sender }: Awaited<ReturnType<typeof inviteMember>>,
  role: 'manager' | 'member',
): Promise<void> {
  const path = `${team.organizationPath}/members/${sender.id}`;
  expect((await team.admin.client.patch(path, { role })).status).toBe(200);
}

async function isMember(
  scenario: TesterScenario,
  { team, guest }: Awaited<ReturnType<typeof inviteMember>>,
  kind: string,
) {
  const path = kind === 'organization' ? team.organizationPath : team.projectPath;
  return (await (await clientNow(scenario, guest)).get(path)).status === 200;
}

const KINDS = ['organization', 'project'] as const;
/** One play for each of the two kinds. */
function forBoth(play: (scenario: TesterScenario, kind: (typeof KINDS)[number]) => Promise<void>) {
  return async (scenario: TesterScenario) => {
    for (const kind of KINDS) await play(scenario, kind);
  };
}

const testersPath = (scenario: TesterScenario, kind: (typeof KINDS)[number]) =>
  `${kind === 'organization' ? scenario.organizationPath : scenario.projectPath}/testers`;

async function addTester(scenario: TesterScenario, kind: (typeof KINDS)[number], email: string) {
  const answer = await scenario.admin.post(testersPath(scenario, kind), { email });
  expect(answer.status, answer.text).toBe(201);
  const path = `${testersPath(scenario, kind)}/${answer.body.identifier}`;
  return { grant: answer.body, read: async () => (await scenario.admin.get(path)).body };
}

const newAddress = ({ fixture }: TesterScenario) => `tester-${fixture.app.ids.next()}@states.example`;
const signUp = ({ admin }: TesterScenario, email: string) =>
  admin.as(null).post('/api/v1/developers', { email, password: PASSWORD, display_name: 'Tess' });

export const accessShows: Shows = {
  'Channel invitation: open, accept': {
    moves: {
      'to accepted, with the grant': async (scenario) => {
        const channel = await scenario.makeChannel();
        const person = await scenario.person();
        const { identifier, invite_token } = await inviteToChannel(scenario, channel, person.email);
        scenario.fixture.clock.advance(9 * MINUTE);
        expect((await acceptChannel(person.client, invite_token)).status).toBe(200);
        expect(await listInvites(scenario, channel)).toMatchObject([
          { identifier, accepted_at: expect.stringMatching(/Z$/), accepted_by_developer_id: person.id },
        ]);
        expect(await reaches(scenario, person, channel)).toBe(true);
      },
    },
    stays: {
      'for another address, and for nobody': async (scenario) => {
        const channel = await scenario.makeChannel();
        const [person, other] = [await scenario.person(), await scenario.person()];
        const { invite_token } = await inviteToChannel(scenario, channel, person.email);
        expectRefusal(await acceptChannel(other.client, invite_token), 404, 'not_found');
        expectRefusal(await acceptChannel(scenario.admin.as(null), invite_token), 401, 'unauthorized');
        expect(await listInvites(scenario, channel)).toMatchObject([
          { accepted_at: null, accepted_by_developer_id: null },
        ]);
        expect([await reaches(scenario, person, channel), await reaches(scenario, other, channel)]).toEqual([
          false,
          false,
        ]);
      },
      'after ten minutes': async (scenario) => {
        const channel = await scenario.makeChannel();
        const person = await scenario.person();
        const { invite_token } = await inviteToChannel(scenario, channel, person.email);
        scenario.fixture.clock.advance(10 * MINUTE);
        expectRefusal(await acceptChannel(await clientNow(scenario, person), invite_token), 404, 'not_found');
        expect(await reaches(scenario, person, channel)).toBe(false);
      },
    },
  },

  'Channel invitation: open, ten minutes pass': {
    moves: {
      'to lapsed after ten minutes, before any sweep': async (scenario) => {
        const channel = await scenario.makeChannel();
        const { identifier, invite_token } = await inviteToChannel(scenario, channel, newAddress(scenario));
        scenario.fixture.clock.advance(10 * MINUTE);
        const preview = await scenario.admin.as(null).get(`/api/v1/testers/invites/${invite_token}/preview`);
        expectRefusal(preview, 404, 'not_found');
        expectRefusal(await scenario.admin.delete(`/api/v1/channel-invites/${identifier}`), 404, 'not_found');
        expect(await listInvites(scenario, channel)).toEqual([]);
      },
    },
    stays: {
      'until then, when the cleanup jobs run': async (scenario) => {
        const channel = await scenario.makeChannel();
        const { identifier, expires_at, invite_token } = await inviteToChannel(scenario, channel, newAddress(scenario));
        scenario.fixture.clock.set(new Date(Date.parse(String(expires_at)) - 5_000));
        await scenario.fixture.sweep('invitations');
        expect(await listInvites(scenario, channel)).toMatchObject([{ identifier, accepted_at: null }]);
        const preview = await scenario.admin.as(null).get(`/api/v1/testers/invites/${invite_token}/preview`);
        expect(preview.status).toBe(200);
      },
    },
  },

  'Member invitation: open, accept': {
    moves: {
      'to accepted on the last day, with the membership': forBoth(async (scenario, kind) => {
        const invitation = await inviteMember(scenario, kind);
        expect(await isMember(scenario, invitation, kind)).toBe(false);
        scenario.fixture.clock.set(new Date(invitation.expiresAt - MINUTE));
        const answer = await acceptMember(await clientNow(scenario, invitation.guest), kind, invitation.token);
        expect(answer.status, answer.text).toBe(200);
        expect(await isMember(scenario, invitation, kind)).toBe(true);
      }),
    },
    stays: {
      'for another person': forBoth(async (scenario, kind) => {
        const invitation = await inviteMember(scenario, kind);
        const refused = await acceptMember(invitation.team.outsider.client, kind, invitation.token);
        expectRefusal(refused, 404, 'not_found');
        expect((await acceptMember(invitation.guest.client, kind, invitation.token)).status).toBe(200);
      }),
      'after 14 days': forBoth(async (scenario, kind) => {
        const invitation = await inviteMember(scenario, kind);
        scenario.fixture.clock.set(new Date(invitation.expiresAt));
        const late = await acceptMember(await clientNow(scenario, invitation.guest), kind, invitation.token);
        expectRefusal(late, 404, 'not_found');
        expect(await isMember(scenario, invitation, kind)).toBe(false);
      }),
    },
  },

  'Member invitation: open, sign up': {
    moves: {
      'to accepted with the emailed link, with an account and a membership': forBoth(async (scenario, kind) => {
        const invitation = await inviteMember(scenario, kind, { email: newAddress(scenario) });
        const made = await signUpInvited(scenario, kind, invitation.token);
        expect(made.status, made.text).toBe(200);
        expectRefusal(await signUpInvited(scenario, kind, invitation.token), 404, 'not_found');
        const { items } = (await invitation.team.admin.client.get<Page>(`${invitation.team.organizationPath}/members`))
          .body;
        expect(items.map(({ email }) => email)).toContain(invitation.guest.email);
      }),
    },
    stays: {
      'until a passkey sign-up is finished': forBoth(async (scenario, kind) => {
        const invitation = await inviteMember(scenario, kind, { email: newAddress(scenario) });
        const body = { invite_token: invitation.token, display_name: 'Tess' };
        const path = `/api/v1/invites/${kind}/sign-up/passkey/begin`;
        expect((await scenario.admin.as(null).post(path, body)).status).toBe(200);
        expect((await signUpInvited(scenario, kind, invitation.token)).status).toBe(200);
        expectRefusal(await scenario.admin.as(null).post(path, body), 404, 'not_found');
      }),
      'for an address that has an account': forBoth(async (scenario, kind) => {
        const invitation = await inviteMember(scenario, kind);
        expectRefusal(await signUpInvited(scenario, kind, invitation.token), 409, 'already_exists');
        expect((await acceptMember(invitation.guest.client, kind, invitation.token)).status).toBe(200);
      }),
      'after 14 days': forBoth(async (scenario, kind) => {
        const invitation = await inviteMember(scenario, kind, { email: newAddress(scenario) });
        scenario.fixture.clock.set(new Date(invitation.expiresAt));
        expectRefusal(await signUpInvited(scenario, kind, invitation.token), 404, 'not_found');
      }),
    },
  },

  'Member invitation: open, decline': {
    moves: {
      'to declined, which ends the link': forBoth(async (scenario, kind) => {
        const { guest, id, token } = await inviteMember(scenario, kind);
        expect((await guest.client.post(`/api/v1/developers/me/invitations/${id}/decline`)).status).toBe(204);
        expectRefusal(await acceptMember(guest.client, kind, token), 404, 'not_found');
      }),
    },
    stays: {
      'for another person': forBoth(async (scenario, kind) => {
        const { team, guest, id, token } = await inviteMember(scenario, kind);
        const path = `/api/v1/developers/me/invitations/${id}/decline`;
        expectRefusal(await team.outsider.client.post(path), 404, 'not_found');
        expect((await acceptMember(guest.client, kind, token)).status).toBe(200);
      }),
    },
  },

  "Member invitation: open, the sender's role falls below the granted one": {
    moves: {
      'to lapsed, which ends the link': forBoth(async (scenario, kind) => {
        const invitation = await inviteMember(scenario, kind);
        await demote(invitation, 'member');
        expectRefusal(await acceptMember(invitation.guest.client, kind, invitation.token), 404, 'not_found');
      }),
    },
    stays: {
      'while the role suffices': forBoth(async (scenario, kind) => {
        const invitation = await inviteMember(scenario, kind);
        await demote(invitation, 'manager');
        expect((await acceptMember(invitation.guest.client, kind, invitation.token)).status).toBe(200);
      }),
    },
  },

  'Member invitation: open, the team removes the person as a member': {
    moves: {
      'to revoked, which ends the link': forBoth(async (scenario, kind) => {
        const invitation = await inviteMember(scenario, kind);
        const { team, guest, token } = invitation;
        expect((await team.admin.client.delete(becomeMember(scenario, invitation))).status).toBe(204);
        expectRefusal(await acceptMember(guest.client, kind, token), 404, 'not_found');
      }),
    },
    stays: {
      'when the person leaves': forBoth(async (scenario, kind) => {
        const invitation = await inviteMember(scenario, kind);
        const { guest, token } = invitation;
        expect((await guest.client.delete(becomeMember(scenario, invitation))).status).toBe(204);
        expect((await acceptMember(guest.client, kind, token)).status).toBe(200);
      }),
    },
  },

  'Member invitation: open, 14 days pass': {
    moves: {
      'to lapsed after 14 days and to nothing by the sweep, 404 on resend both times': forBoth(
        async (scenario, kind) => {
          const sent = scenario.fixture.clock.now().getTime();
          const { team, path, expiresAt } = await inviteMember(scenario, kind);
          expect(Math.abs(expiresAt - sent - 14 * DAY)).toBeLessThan(MINUTE);
          scenario.fixture.clock.set(new Date(expiresAt));
          const boss = await clientNow(scenario, team.admin);
          expectRefusal(await boss.post(`${path}/resend`), 404, 'not_found');
          expect(await scenario.fixture.sweep('invitations')).toBeGreaterThan(0);
          expectRefusal(await boss.post(`${path}/resend`), 404, 'not_found');
        },
      ),
    },
    stays: {
      'until then, when it can be sent again': forBoth(async (scenario, kind) => {
        const { team, path, expiresAt } = await inviteMember(scenario, kind);
        scenario.fixture.clock.set(new Date(expiresAt - MINUTE));
        await scenario.fixture.sweep('invitations');
        expect((await (await clientNow(scenario, team.admin)).post(`${path}/resend`)).status).toBe(200);
      }),
    },
  },

  'Tester grant: pending, address is verified': {
    moves: {
      'to active when the address is verified, however long it waited': forBoth(async (scenario, kind) => {
        const email = newAddress(scenario);
        const { grant, read } = await addTester(scenario, kind, email);
        expect(grant).toMatchObject({ status: 'pending', developer_id: null });
        scenario.fixture.clock.advance(1_000 * DAY);
        for (const name of ['invitations', 'sessions']) await scenario.fixture.sweep(name);
        expect(await read()).toEqual(grant);
        await signUp(scenario, email);
        const token = newestToken(scenario.fixture, email);
        expect((await scenario.admin.as(null).post('/api/v1/developers/verify_email', { token })).status).toBe(200);
        expect(await read()).toMatchObject({ status: 'active', developer_id: expect.any(String), email });
      }),
    },
    stays: {
      'while the account that appears has not verified the address': forBoth(async (scenario, kind) => {
        const email = newAddress(scenario);
        const { grant, read } = await addTester(scenario, kind, email);
        await signUp(scenario, email);
        expect(await read()).toEqual(grant);
      }),
      'when an account with another address appears': forBoth(async (scenario, kind) => {
        const { grant, read } = await addTester(scenario, kind, newAddress(scenario));
        const other = newAddress(scenario);
        await signUp(scenario, other);
        const token = newestToken(scenario.fixture, other);
        await scenario.admin.as(null).post('/api/v1/developers/verify_email', { token });
        expect(await read()).toEqual(grant);
      }),
    },
  },

  'Tester grant: none, add tester': {
    moves: {
      'to active immediately, whether the account is verified or not': forBoth(async (scenario, kind) => {
        for (const isVerified of [true, false]) {
          const person = await scenario.person({ isVerified });
          const { grant } = await addTester(scenario, kind, person.email);
          expect(grant).toMatchObject({ status: 'active', developer_id: person.id });
        }
      }),
    },
    stays: {
      'and only waits where no account holds the address': forBoth(async (scenario, kind) => {
        const { grant } = await addTester(scenario, kind, newAddress(scenario));
        expect(grant).toMatchObject({ status: 'pending', developer_id: null });
      }),
    },
  },
};
