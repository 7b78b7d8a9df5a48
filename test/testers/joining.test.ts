// Joining a channel with a join link.
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import {
  accessRequests,
  developers,
  joinLinks,
  organizations,
  outboxMails,
  testerGrants,
  testerRemovals,
} from '../../src/data/tables/tables.ts';
import { findLinkByToken, takePlace } from '../../src/testers/join-links/store.ts';
import { auditMark, auditRows, expectRefusal, type Page } from '../support/harness.ts';
import { addPerson, type Person, signInPerson } from '../support/people.ts';
import {
  addMember,
  channel,
  DEAD,
  installUrl,
  type JoinLink,
  join,
  linksPath,
  listed,
  makeLink,
  open,
  pathOf,
  person,
  reaches,
  SIGNED_IN,
  scenario,
  useChannel,
} from './join-link-scenario.ts';
import { startTesterScenario } from './scenario.ts';

useChannel();

/** A person whose address has this domain. */
async function personAt(domain: string): Promise<Person> {
  const added = await scenario.person();
  const email = `${added.id}@${domain}`;
  scenario.fixture.app.db.update(developers).set({ email }).where(eq(developers.id, added.id)).run();
  return { ...added, email, accessToken: await signInPerson(scenario.fixture, { id: added.id, email }) };
}

describe('joining', () => {
  it('gives access and leads to the install page, with one click', async () => {
    const link = await makeLink({ label: 'Meetup' });
    const { db } = scenario.fixture.app;
    const mails = () => db.select().from(outboxMails).all().length;
    const before = mails();
    const asked = await open(pathOf(link), person);
    expect([asked.status, asked.title]).toEqual([200, SIGNED_IN]);
    expect(asked.html).toContain(`<form method="post" action="${link.join_url}">`);
    expect(asked.html).toContain(`You’re signed in as ${person.email}.`);
    const mark = auditMark(scenario.fixture);
    const joined = await join(link, person);
    expect([joined.status, joined.location]).toEqual([302, installUrl()]);
    expect(reaches(person)).toBe(true);
    const place = { channel_id: channel.id, project_id: scenario.fixture.android_project_id };
    const who = { email: person.email, developer_id: person.id };
    expect(auditRows(scenario.fixture, { after: mark })).toMatchObject([
      {
        event: 'accepted',
        type: 'join_link',
        identifier: link.identifier,
        actorId: person.id,
        details: { ...place, ...who, label: 'Meetup' },
      },
      { event: 'created', type: 'channel_tester_grant', details: { ...place, ...who } },
    ]);
    expect(mails()).toBe(before);
    const testers = await scenario.admin.get<Page<{ grants: unknown[] }>>(`${channel.path}/testers`);
    expect(testers.body.items[0]?.grants).toMatchObject([
      { level: 'channel', join_link_id: link.identifier, join_link_label: 'Meetup' },
    ]);
    const csv = await scenario.admin.get(`${channel.path}/testers`, { format: 'csv' });
    expect(csv.text).toContain(',Meetup,');
    expect(await listed()).toMatchObject([{ joined: 1, state: 'open' }]);
  });

  it('is refused from a foreign page, and does nothing for people who are signed out', async () => {
    const link = await makeLink();
    expect((await join(link, person, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await join(link, person, {})).status).toBe(403);
    expect((await join(link)).title).toBe(SIGNED_IN);
    expect(reaches(person)).toBe(false);
    expect(await listed()).toMatchObject([{ joined: 0 }]);
  });

  it('leads testers and members who can install there without taking a place, also when the link no longer works', async () => {
    const link = await makeLink({ max_people: 1 });
    const member = await addMember('read_download');
    await scenario.admit(person, channel);
    for (const who of [person, member]) {
      for (const shown of [await open(pathOf(link), who), await join(link, who)]) {
        expect([shown.status, shown.location]).toEqual([302, installUrl()]);
      }
    }
    expect(await listed()).toMatchObject([{ joined: 0, state: 'open' }]);
    const last = await scenario.person();
    expect((await join(link, last)).status).toBe(302);
    expect((await join(link, last)).location).toBe(installUrl());
    await scenario.admin.delete(`${linksPath()}/${link.identifier}`);
    expect((await open(pathOf(link), last)).location).toBe(installUrl());
    expect(await listed()).toMatchObject([{ joined: 1, state: 'revoked' }]);
    const grants = scenario.fixture.app.db.select().from(testerGrants).where(eq(testerGrants.channelId, channel.id));
    expect(
      grants
        .all()
        .map(({ developerId }) => developerId)
        .sort(),
    ).toEqual([person.id, last.id].sort());
  });

  it('takes exactly as many people as allowed from fifty simultaneous requests', async () => {
    const link = await makeLink({ max_people: 3 });
    const people = await Promise.all(Array.from({ length: 10 }, () => scenario.person()));
    const tries = Array.from({ length: 50 }, (_, index) => join(link, people[index % 10]));
    await Promise.all(tries);
    expect(people.filter(reaches)).toHaveLength(3);
    expect(await listed()).toMatchObject([{ joined: 3, state: 'full' }]);
  });

  it('takes places with one conditional update', async () => {
    const { app } = scenario.fixture;
    const link = await makeLink({ max_people: 1 });
    const token = link.join_url.split('/').at(-1) ?? '';
    const row = findLinkByToken(app, app.secrets.hash(token));
    const taken: boolean[] = [];
    for (const _time of [1, 2]) {
      app.db.transaction((db) => {
        taken.push(takePlace({ db, now: app.clock.now().getTime() } as never, row?.id ?? ''));
      });
    }
    expect(taken).toEqual([true, false]);
  });

  it('checks the domain of the verified address: exactly, in any case and spelling', async () => {
    const link = await makeLink({ email_domain: 'BÜCHER.example' });
    expect((await listed())[0]).toMatchObject({ email_domain: 'xn--bcher-kva.example' });
    for (const domain of [
      'sub.xn--bcher-kva.example',
      'bucher.example',
      'xn--bcher-kva.example.org',
      'notxn--bcher-kva.example',
    ]) {
      const other = await personAt(domain);
      for (const shown of [await open(pathOf(link), other), await join(link, other)]) {
        expect([shown.status, shown.title]).toEqual([403, 'Use another email address']);
        expect(shown.html).toContain('addresses at xn--bcher-kva.example.');
      }
      expect(reaches(other)).toBe(false);
    }
    const insider = await personAt('xn--bcher-kva.example');
    expect((await join(link, insider)).location).toBe(installUrl());
    expect((await open(pathOf(link))).html).not.toContain('xn--bcher-kva');
  });

  it('requires a verified address first', async () => {
    const link = await makeLink({ email_domain: 'people.example' });
    const unverified = await scenario.person({ isVerified: false });
    for (const shown of [await open(pathOf(link), unverified), await join(link, unverified)]) {
      expect([shown.status, shown.title]).toEqual([403, 'Your email address isn’t verified']);
    }
    const { db } = scenario.fixture.app;
    db.update(developers).set({ emailVerifiedAt: 1 }).where(eq(developers.id, unverified.id)).run();
    expect((await join(link, unverified)).location).toBe(installUrl());
  });

  it('asks vouched people to have their address verified, since that is what the team sees', async () => {
    const link = await makeLink();
    const vouched = await scenario.person({ isVerified: false });
    const { db } = scenario.fixture.app;
    db.update(developers).set({ vouchedAt: 1 }).where(eq(developers.id, vouched.id)).run();
    for (const shown of [await open(pathOf(link), vouched), await join(link, vouched)]) {
      expect([shown.status, shown.title]).toEqual([403, 'Your email address isn’t verified']);
      expect(shown.html).toContain('This server doesn’t send email. Ask its operator to verify');
    }
    expect(reaches(vouched)).toBe(false);
  });

  it('names the email that was sent on a server that sends email', async () => {
    const smtp = { host: 'localhost', port: 9, security: 'none' } as const;
    await using sending = await startTesterScenario({ config: { mail: { transport: 'smtp', smtp } } });
    const { path } = await sending.makeChannel();
    const made = await sending.admin.post<{ join_url: string }>(`${path}/join-links`, {});
    const { accessToken } = await sending.person({ isVerified: false });
    const page = await fetch(sending.fixture.url + new URL(made.body.join_url).pathname, {
      headers: { cookie: `svc_access=${accessToken}` },
    });
    expect(await page.text()).toContain('Open the link in the email that was sent to');
  });

  it('asks a member who lacks the required second factor to set one up', async () => {
    const link = await makeLink();
    const member = await addMember('read');
    const admin = await addPerson(scenario.fixture, {
      organizations: { [scenario.fixture.organization_id]: 'admin' },
      hasTotp: true,
    });
    const edit = (required: boolean) =>
      admin.client.put(`${scenario.organizationPath}/mfa-policy`, { required, grace_period_days: 0 });
    expect((await edit(true)).status).toBe(200);
    const refused = await join(link, member);
    expect((await edit(false)).status).toBe(200);
    expect([refused.status, refused.title]).toEqual([403, 'Set up two-factor authentication']);
    expect((await join(link, member)).location).toBe(installUrl());
  });

  it('is impossible while the organization is locked, and takes no place', async () => {
    const link = await makeLink();
    const { db } = scenario.fixture.app;
    const lock = (lockReason: 'suspended' | null) =>
      db.update(organizations).set({ lockReason }).where(eq(organizations.id, scenario.fixture.organization_id)).run();
    lock('suspended');
    const refused = await join(link, person);
    const signedOut = await open(pathOf(link));
    const created = await scenario.admin.post(linksPath(), {});
    lock(null);
    expect([refused.status, refused.title]).toEqual([403, 'You can’t join right now']);
    // People without an account don't create one for nothing; testers can sign in.
    expect([signedOut.status, signedOut.title]).toEqual([403, refused.title]);
    expect([signedOut.html.includes('/sign-up?'), signedOut.html.includes('/sign-in?')]).toEqual([false, true]);
    expect(refused.html).not.toContain('/sign-in?');
    expect((await open(pathOf(link))).html).toContain('/sign-up?');
    expectRefusal(created, 402, 'billing_suspended');
    expect(await listed()).toMatchObject([{ joined: 0 }]);
    expect((await join(link, person)).status).toBe(302);
  });

  it('answers an open request for access', async () => {
    const link = await makeLink();
    await open(`/install/channels/${channel.id}/access-request`, person, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    const requests = () =>
      scenario.fixture.app.db.select().from(accessRequests).where(eq(accessRequests.channelId, channel.id)).all()
        .length;
    expect(requests()).toBe(1);
    await join(link, person);
    expect(requests()).toBe(0);
  });

  it('fails when the link is revoked while its page is open', async () => {
    const link = await makeLink();
    expect((await open(pathOf(link), person)).title).toBe(SIGNED_IN);
    const mark = auditMark(scenario.fixture);
    expect((await scenario.admin.delete(`${linksPath()}/${link.identifier}`)).status).toBe(204);
    expect(auditRows(scenario.fixture, { after: mark })).toMatchObject([
      { event: 'revoked', type: 'join_link', identifier: link.identifier },
    ]);
    expect([(await join(link, person)).title, reaches(person)]).toEqual([DEAD, false]);
    expectRefusal(await scenario.admin.delete(`${linksPath()}/${link.identifier}`), 404, 'not_found');
  });
});

describe('a person whose access the team removed', () => {
  async function removeFromChannel({ id }: Person): Promise<void> {
    const { body } = await scenario.admin.get<Page<{ developer_id: string; grants: { identifier: string }[] }>>(
      `${channel.path}/testers`,
    );
    const grant = body.items.find(({ developer_id }) => developer_id === id)?.grants[0]?.identifier;
    expect((await scenario.admin.delete(`${channel.path}/testers/${grant}`)).status).toBe(204);
  }

  const expectRefused = async (link: JoinLink, who: Person) => {
    for (const shown of [await open(pathOf(link), who), await join(link, who)]) {
      expect([shown.status, shown.title]).toEqual([403, 'You can’t join with this link']);
    }
    expect(reaches(who)).toBe(false);
  };

  it('can join with a newer link only', async () => {
    const [used, other] = [await makeLink(), await makeLink()];
    await join(used, person);
    await removeFromChannel(person);
    await expectRefused(used, person);
    await expectRefused(other, person);
    scenario.fixture.clock.advance(1);
    const newer = await makeLink();
    const again = { ...person, accessToken: await signInPerson(scenario.fixture, person) };
    expect((await join(newer, again)).location).toBe(installUrl());
    expect((await join(used, await scenario.person())).location).toBe(installUrl());
  });

  it('is refused after a removal from the project, the organization, a group, or as a member', async () => {
    const link = await makeLink();
    const people = await Promise.all(Array.from({ length: 3 }, () => scenario.person()));
    const [ofProject, ofOrganization, ofGroup] = people as [Person, Person, Person];
    const project = await scenario.grant(ofProject, 'project');
    const organization = await scenario.grant(ofOrganization, 'organization');
    const group = await scenario.group(ofGroup, { channel_id: channel.id });
    const members = await scenario.admin.get<Page<{ identifier: string }>>(`${group}/members`);
    const [former, demoted] = [await addMember('maintainer'), await addMember('read_download')];
    for (const path of [
      `${scenario.projectPath}/testers/${project}`,
      `${scenario.organizationPath}/testers/${organization}`,
      `${group}/members/${members.body.items[0]?.identifier}`,
      `${scenario.organizationPath}/members/${former.id}`,
      `${scenario.projectPath}/members/${demoted.id}`,
    ]) {
      expect((await scenario.admin.delete(path)).status).toBe(204);
    }
    for (const who of [...people, former, demoted]) await expectRefused(link, who);
    const elsewhere = await scenario.person();
    const ofOther = await scenario.group(elsewhere, { channel_id: (await scenario.makeChannel()).id });
    const listed = await scenario.admin.get<Page<{ identifier: string }>>(`${ofOther}/members`);
    const membership = `${ofOther}/members/${listed.body.items[0]?.identifier}`;
    expect((await scenario.admin.delete(membership)).status).toBe(204);
    expect((await join(link, elsewhere)).location).toBe(installUrl());
  });

  it('is not meant: a member who left themselves can join', async () => {
    const link = await makeLink();
    const member = await addMember('read_download');
    expect((await member.client.delete(`${scenario.organizationPath}/members/${member.id}`)).status).toBe(204);
    expect((await join(link, member)).location).toBe(installUrl());
  });

  it('is remembered only as long as a link from before could be used', async () => {
    const removals = () =>
      scenario.fixture.app.db.select().from(testerRemovals).where(eq(testerRemovals.developerId, person.id)).all()
        .length;
    const link = await makeLink();
    await join(link, person);
    await removeFromChannel(person);
    expect(removals()).toBe(1);
    await scenario.fixture.sweep('invitations');
    expect(removals()).toBe(1);
    const { db, clock } = scenario.fixture.app;
    db.update(joinLinks).set({ revokedAt: clock.now().getTime() }).run();
    await scenario.fixture.sweep('invitations');
    expect(removals()).toBe(0);
    await scenario.admit(person, channel);
    await removeFromChannel(person);
    expect(removals()).toBe(0);
  });
});
