// States of invitations and tester grants.
import { expect } from 'vitest';
import { DAY, MINUTE } from '../../../src/lib/clock.ts';
import { type Client, expectRefusal, type Json, type Page } from '../../support/harness.ts';
import { newestToken } from '../../support/mailbox.ts';
import { addPerson, addTeam, type Person } from '../../support/people.ts';
import type { Channel, TesterFixture } from '../../testers/scenario.ts';
import { clientNow, type Shows } from './move.ts';

const PASSWORD = 'a password for the states';

interface ChannelInvite extends Json {
  identifier: string;
  invite_token: string;
}

async function inviteToChannel({ admin }: TesterFixture, channel: Channel, email: string): Promise<ChannelInvite> {
  const answer = await admin.post<ChannelInvite>('/api/v1/channel-invites', { email }, channel.query);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

const acceptChannel = (client: Client, token: string) =>
  client.post('/api/v1/testers/invites/accept', { invite_token: token });
const listInvites = async ({ admin }: TesterFixture, channel: Channel) =>
  (await admin.get<Page>('/api/v1/channel-invites', channel.query)).body.items;
const reaches = async (stand: TesterFixture, person: Person, channel: Channel) => {
  const client = await clientNow(stand, person);
  const answer = await client.get<Page>('/api/v1/testers/me/channels', channel.query);
  return (
    answer.status === 200 &&
    answer.body.items.some(({ channel_id, identifier }) => [channel_id, identifier].includes(channel.id))
  );
};

/** An invitation of a new person into an organization or a project, with the link of the mail. */
async function inviteMember({ fixture }: TesterFixture, kind: 'organization' | 'project') {
  const team = await addTeam(fixture);
  const guest = await addPerson(fixture);
  const base = kind === 'organization' ? team.organizationPath : team.projectPath;
  const role = kind === 'organization' ? 'member' : 'read';
  const made = await team.admin.client.post(`${base}/invites`, { email: guest.email, role });
  expect(made.status, made.text).toBe(201);
  const text = fixture.mail.messages.findLast(({ to }) => to === guest.email)?.text ?? '';
  return {
    team,
    guest,
    path: `${base}/invites/${made.body.identifier}`,
    token: new RegExp(`/invite/${kind}/([\\w-]+)`).exec(text)?.[1] ?? '',
    expiresAt: Date.parse(String(made.body.expires_at)),
  };
}

const acceptMember = (client: Client, kind: string, token: string) =>
  client.post(`/api/v1/invites/${kind}/accept`, { invite_token: token });

async function isMember(stand: TesterFixture, { team, guest }: Awaited<ReturnType<typeof inviteMember>>, kind: string) {
  const path = kind === 'organization' ? team.organizationPath : team.projectPath;
  return (await (await clientNow(stand, guest)).get(path)).status === 200;
}

const KINDS = ['organization', 'project'] as const;
/** One play for each of the two kinds. */
function forBoth(play: (stand: TesterFixture, kind: (typeof KINDS)[number]) => Promise<void>) {
  return async (stand: TesterFixture) => {
    for (const kind of KINDS) await play(stand, kind);
  };
}

const testersPath = (stand: TesterFixture, kind: (typeof KINDS)[number]) =>
  `${kind === 'organization' ? stand.organizationPath : stand.projectPath}/testers`;

async function addTester(stand: TesterFixture, kind: (typeof KINDS)[number], email: string) {
  const answer = await stand.admin.post(testersPath(stand, kind), { email });
  expect(answer.status, answer.text).toBe(201);
  const path = `${testersPath(stand, kind)}/${answer.body.identifier}`;
  return { grant: answer.body, read: async () => (await stand.admin.get(path)).body };
}

const newAddress = ({ fixture }: TesterFixture) => `tester-${fixture.app.ids.next()}@states.example`;
const signUp = ({ admin }: TesterFixture, email: string) =>
  admin.as(null).post('/api/v1/developers', { email, password: PASSWORD, display_name: 'Tess' });

export const accessShows: Shows = {
  'Channel invitation: open, accept': {
    moves: {
      'to accepted, with the grant': async (stand) => {
        const channel = await stand.makeChannel();
        const person = await stand.person();
        const { identifier, invite_token } = await inviteToChannel(stand, channel, person.email);
        stand.fixture.clock.advance(9 * MINUTE);
        expect((await acceptChannel(person.client, invite_token)).status).toBe(200);
        expect(await listInvites(stand, channel)).toMatchObject([
          { identifier, accepted_at: expect.stringMatching(/Z$/), accepted_by_developer_id: person.id },
        ]);
        expect(await reaches(stand, person, channel)).toBe(true);
      },
    },
    stays: {
      'for another address, and for nobody': async (stand) => {
        const channel = await stand.makeChannel();
        const [person, other] = [await stand.person(), await stand.person()];
        const { invite_token } = await inviteToChannel(stand, channel, person.email);
        expectRefusal(await acceptChannel(other.client, invite_token), 404, 'not_found');
        expectRefusal(await acceptChannel(stand.admin.as(null), invite_token), 401, 'unauthorized');
        expect(await listInvites(stand, channel)).toMatchObject([
          { accepted_at: null, accepted_by_developer_id: null },
        ]);
        expect([await reaches(stand, person, channel), await reaches(stand, other, channel)]).toEqual([false, false]);
      },
      'after ten minutes': async (stand) => {
        const channel = await stand.makeChannel();
        const person = await stand.person();
        const { invite_token } = await inviteToChannel(stand, channel, person.email);
        stand.fixture.clock.advance(10 * MINUTE);
        expectRefusal(await acceptChannel(await clientNow(stand, person), invite_token), 404, 'not_found');
        expect(await reaches(stand, person, channel)).toBe(false);
      },
    },
  },

  'Channel invitation: open, ten minutes pass': {
    moves: {
      'to lapsed after ten minutes, before any sweep': async (stand) => {
        const channel = await stand.makeChannel();
        const { identifier, invite_token } = await inviteToChannel(stand, channel, newAddress(stand));
        stand.fixture.clock.advance(10 * MINUTE);
        const preview = await stand.admin.as(null).get(`/api/v1/testers/invites/${invite_token}/preview`);
        expectRefusal(preview, 404, 'not_found');
        expectRefusal(await stand.admin.delete(`/api/v1/channel-invites/${identifier}`), 404, 'not_found');
        expect(await listInvites(stand, channel)).toEqual([]);
      },
    },
    stays: {
      'until then, whatever is swept': async (stand) => {
        const channel = await stand.makeChannel();
        const { identifier, expires_at, invite_token } = await inviteToChannel(stand, channel, newAddress(stand));
        stand.fixture.clock.set(new Date(Date.parse(String(expires_at)) - 5_000));
        await stand.fixture.sweep('invitations');
        expect(await listInvites(stand, channel)).toMatchObject([{ identifier, accepted_at: null }]);
        const preview = await stand.admin.as(null).get(`/api/v1/testers/invites/${invite_token}/preview`);
        expect(preview.status).toBe(200);
      },
    },
  },

  'Member invitation: open, accept': {
    moves: {
      'to accepted on the last day, with the membership': forBoth(async (stand, kind) => {
        const invitation = await inviteMember(stand, kind);
        expect(await isMember(stand, invitation, kind)).toBe(false);
        stand.fixture.clock.set(new Date(invitation.expiresAt - MINUTE));
        const answer = await acceptMember(await clientNow(stand, invitation.guest), kind, invitation.token);
        expect(answer.status, answer.text).toBe(200);
        expect(await isMember(stand, invitation, kind)).toBe(true);
      }),
    },
    stays: {
      'for somebody else': forBoth(async (stand, kind) => {
        const invitation = await inviteMember(stand, kind);
        const refused = await acceptMember(invitation.team.outsider.client, kind, invitation.token);
        expectRefusal(refused, 404, 'not_found');
        expect((await acceptMember(invitation.guest.client, kind, invitation.token)).status).toBe(200);
      }),
      'after 14 days': forBoth(async (stand, kind) => {
        const invitation = await inviteMember(stand, kind);
        stand.fixture.clock.set(new Date(invitation.expiresAt));
        const late = await acceptMember(await clientNow(stand, invitation.guest), kind, invitation.token);
        expectRefusal(late, 404, 'not_found');
        expect(await isMember(stand, invitation, kind)).toBe(false);
      }),
    },
  },

  'Member invitation: open, 14 days pass': {
    moves: {
      'to lapsed after 14 days and to nothing by the sweep, 404 on resend both times': forBoth(async (stand, kind) => {
        const sent = stand.fixture.clock.now().getTime();
        const { team, path, expiresAt } = await inviteMember(stand, kind);
        expect(Math.abs(expiresAt - sent - 14 * DAY)).toBeLessThan(MINUTE);
        stand.fixture.clock.set(new Date(expiresAt));
        const boss = await clientNow(stand, team.admin);
        expectRefusal(await boss.post(`${path}/resend`), 404, 'not_found');
        expect(await stand.fixture.sweep('invitations')).toBeGreaterThan(0);
        expectRefusal(await boss.post(`${path}/resend`), 404, 'not_found');
      }),
    },
    stays: {
      'until then, when it can be sent again': forBoth(async (stand, kind) => {
        const { team, path, expiresAt } = await inviteMember(stand, kind);
        stand.fixture.clock.set(new Date(expiresAt - MINUTE));
        await stand.fixture.sweep('invitations');
        expect((await (await clientNow(stand, team.admin)).post(`${path}/resend`)).status).toBe(200);
      }),
    },
  },

  'Tester grant: pending, address is verified': {
    moves: {
      'to active when the address is verified, however long it waited': forBoth(async (stand, kind) => {
        const email = newAddress(stand);
        const { grant, read } = await addTester(stand, kind, email);
        expect(grant).toMatchObject({ status: 'pending', developer_id: null });
        stand.fixture.clock.advance(1_000 * DAY);
        for (const name of ['invitations', 'sessions']) await stand.fixture.sweep(name);
        expect(await read()).toEqual(grant);
        await signUp(stand, email);
        const token = newestToken(stand.fixture, email);
        expect((await stand.admin.as(null).post('/api/v1/developers/verify_email', { token })).status).toBe(200);
        expect(await read()).toMatchObject({ status: 'active', developer_id: expect.any(String), email });
      }),
    },
    stays: {
      'while the account that appears has not verified the address': forBoth(async (stand, kind) => {
        const email = newAddress(stand);
        const { grant, read } = await addTester(stand, kind, email);
        await signUp(stand, email);
        expect(await read()).toEqual(grant);
      }),
      'when an account with another address appears': forBoth(async (stand, kind) => {
        const { grant, read } = await addTester(stand, kind, newAddress(stand));
        const other = newAddress(stand);
        await signUp(stand, other);
        const token = newestToken(stand.fixture, other);
        await stand.admin.as(null).post('/api/v1/developers/verify_email', { token });
        expect(await read()).toEqual(grant);
      }),
    },
  },

  'Tester grant: none, add tester': {
    moves: {
      'to active at once, whether the account is verified or not': forBoth(async (stand, kind) => {
        for (const isVerified of [true, false]) {
          const person = await stand.person({ isVerified });
          const { grant } = await addTester(stand, kind, person.email);
          expect(grant).toMatchObject({ status: 'active', developer_id: person.id });
        }
      }),
    },
    stays: {
      'and only waits where no account holds the address': forBoth(async (stand, kind) => {
        const { grant } = await addTester(stand, kind, newAddress(stand));
        expect(grant).toMatchObject({ status: 'pending', developer_id: null });
      }),
    },
  },
};
