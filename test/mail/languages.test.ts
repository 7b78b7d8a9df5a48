// The language of emails: the reader's, otherwise the server's. Both languages have the same links and values.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LocalizedMail } from '../../src/core/context.ts';
import { systemContext } from '../../src/core/transact.ts';
import { auditEvents, outboxMails } from '../../src/data/tables/tables.ts';
import { type Language, languages } from '../../src/languages.ts';
import { DAY } from '../../src/lib/clock.ts';
import * as accounts from '../../src/mail/templates/accounts.ts';
import * as builds from '../../src/mail/templates/builds.ts';
import * as organizations from '../../src/mail/templates/organizations.ts';
import * as signIn from '../../src/mail/templates/sign-in.ts';
import * as testers from '../../src/mail/templates/testers.ts';
import { type ReleasedBuild, type SecurityChange, ssoChanges, type WayIn } from '../../src/mail/texts/texts.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, createAccount, signIn as signInAs } from '../support/harness.ts';
import { mailsTo } from '../support/mailbox.ts';
import { addPerson } from '../support/people.ts';

let servers: Record<Language, Fixture>;
beforeAll(async () => {
  servers = { en: await startFixture(), de: await startFixture({ config: { mail: { language: 'de' } } }) };
});
afterAll(async () => {
  for (const fixture of Object.values(servers ?? {})) await fixture.stop();
});

/** Returns the address of a new account that chose a language. */
async function accountWith(fixture: Fixture, locale: string): Promise<string> {
  const account = await createAccount(fixture);
  const { client } = await signInAs(fixture, account);
  expect((await client.patch(`/api/v1/developers/${account.developer_id}`, { locale })).status).toBe(200);
  return account.email;
}

async function resetPassword(fixture: Fixture, email: string): Promise<string | undefined> {
  await api(fixture, null).post('/api/v1/login/password_reset', { email });
  await fixture.drain();
  return mailsTo(fixture, email).at(-1)?.subject;
}

const english = 'Reset your password';
const german = 'Setzen Sie Ihr Passwort zurück';

describe('an email', () => {
  it.each<[string, Language, string]>([
    ['de', 'en', german],
    ['DE-at', 'en', german],
    ['en-GB', 'de', english],
    ['fr', 'en', english],
    ['fr', 'de', german],
    ['deu', 'en', english],
  ])('to a reader with the locale %s on a server with the language %s', async (locale, language, subject) => {
    const fixture = servers[language];
    expect(await resetPassword(fixture, await accountWith(fixture, locale))).toBe(subject);
  });

  it('is in the language of the server for people who chose none, and for those without an account', async () => {
    const fixture = servers.de;
    expect(await resetPassword(fixture, (await createAccount(fixture)).email)).toBe(german);
    const path = `/api/v1/organizations/${fixture.organization_id}/invites`;
    const invited = await api(fixture).post(path, { email: 'new@example.com', role: 'member' });
    expect(invited.status).toBe(201);
    const [mail] = mailsTo(fixture, 'new@example.com');
    expect(mail?.subject).toBe('Einladung zu „Fixture Organization“');
    expect(mail?.text).toContain(
      '„Fixture Administrator“ lädt Sie ein, „Fixture Organization“ auf Taxiway beizutreten',
    );
    const row = fixture.app.db.select().from(outboxMails).where(eq(outboxMails.recipient, 'new@example.com')).get();
    expect(row?.html).toContain('<html lang="de">');
  });

  it('to many people is in the language of each of them', async () => {
    const fixture = servers.en;
    const { organization_id: organizationId, clock } = fixture;
    const path = `/api/v1/developers/${fixture.admin.developer_id}`;
    const second = await addPerson(fixture, { organizations: { [organizationId]: 'admin' } });
    expect((await api(fixture).patch(path, { locale: 'de' })).status).toBe(200);
    systemContext(fixture.app).transact((tx) => tx.record('channel.edited', { identifier: 'c', organizationId }));
    fixture.app.db
      .update(auditEvents)
      .set({ timestamp: clock.now().getTime() - 400 * DAY })
      .run();
    await fixture.sweep('audit-retention');
    await fixture.drain();
    const subjects = (address: string) =>
      mailsTo(fixture, address)
        .map(({ subject }) => subject)
        .filter((subject) => subject.includes('Audit'));
    expect(subjects(fixture.admin.email)).toEqual(['Audit-Ereignisse von „Fixture Organization“ werden gelöscht']);
    expect(subjects(second.email)).toEqual(['Audit events of “Fixture Organization” will be deleted']);
  });
});

const base = 'https://b.example';
const link = `${base}/x?token=t`;
const build: ReleasedBuild = {
  projectName: 'Harbor',
  organizationName: 'Northwind',
  channelName: 'beta',
  versionName: '2.4.0 rc',
  buildNumber: '318',
};
const channel = { organizationName: 'Northwind', projectName: 'Harbor', channelName: 'beta' };
const place = { account: 'nwbuilds', container: 'packages', organizationName: 'Northwind' };
const invitation = { organizationName: 'Northwind', inviterName: 'Dana', role: 'read_download', expiresAt: 20 * DAY };
const token = { name: 'CI', role: 'read_download', acting: null };
const tokenNotice = { projectId: 'p', projectName: 'Harbor', organizationName: 'Northwind', owner: 'Dana', total: 3 };
const notice = { organizationName: 'Northwind', days: 30, deletedFrom: 20 * DAY, total: 41, moreProjects: 2 };
const project = { projectId: 'p', name: 'Harbor', versions: ['2.4.0 (318)', '2.4.0 rc (317)'], more: 3 };
const warning = { organizationName: 'Northwind', platform: 'ios', name: 'Field', places: [build], now: 0 } as const;
const securityChanges = [
  'mfa_enabled',
  'mfa_disabled',
  'recovery_codes_regenerated',
  'recovery_codes_removed',
  'passkey_registered',
  'passkey_removed',
  'factors_removed',
  'personal_token_created',
  'personal_token_rotated',
] satisfies SecurityChange[];
const waysIn = ['account', 'email_code', 'sign_up', 'operator'] satisfies WayIn[];

const mails: Record<string, LocalizedMail> = {
  verifyEmail: accounts.verifyEmailMail(link),
  accountExists: accounts.accountExistsMail(base),
  passwordReset: accounts.passwordResetMail(link),
  passwordChanged: accounts.passwordChangedMail(base),
  changeEmail: accounts.changeEmailMail(link),
  emailChanged: accounts.emailChangedMail(base),
  exportReady: accounts.exportReadyMail(base, 20 * DAY),
  deletionRequested: accounts.deletionRequestedMail(link, 20 * DAY),
  release: builds.releaseMail({ ...build, isMandatory: true, notes: 'Tides', installUrl: link, muteUrl: `${base}/m` }),
  deviceReady: builds.deviceReadyMail({ ...build, deviceNames: ['Pixel'], installUrl: link, muteUrl: null }),
  devicesReady: builds.deviceReadyMail({
    ...build,
    deviceNames: ['Pixel', 'b', 'c'],
    installUrl: link,
    muteUrl: `${base}/m`,
  }),
  retention: builds.buildRetentionMail(base, { ...notice, projects: [project, project] }),
  retentionOfOne: builds.buildRetentionMail(base, {
    ...notice,
    days: 1,
    total: 1,
    moreProjects: 1,
    projects: [{ ...project, more: 0 }],
  }),
  retentionByRules: builds.buildRetentionMail(base, { ...notice, days: null, moreProjects: 0, projects: [project] }),
  profile: builds.expiryWarningMail(base, { ...warning, kind: 'profile', expiresAt: 7 * DAY }),
  certificate: builds.expiryWarningMail(base, {
    ...warning,
    kind: 'certificate',
    expiresAt: DAY,
    places: Array.from({ length: 23 }, () => build),
  }),
  androidCertificate: builds.expiryWarningMail(base, {
    ...warning,
    platform: 'android',
    kind: 'certificate',
    expiresAt: 60_000,
  }),
  invitation: organizations.memberInvitationMail(link, { ...invitation, projectName: null, projectNames: ['Harbor'] }),
  projectInvitation: organizations.memberInvitationMail(link, {
    ...invitation,
    inviterName: null,
    projectName: 'Harbor',
    projectNames: [],
  }),
  storageUnreachable: organizations.storageUnreachableMail(base, { ...place, reason: '403 AuthorizationFailure' }),
  storageReachable: organizations.storageReachableMail(base, place),
  mfaReminder: organizations.mfaReminderMail(base, {
    organizationName: 'Northwind',
    graceEndsAt: 20 * DAY,
    passkeySatisfies: true,
  }),
  totpReminder: organizations.mfaReminderMail(base, {
    organizationName: 'Northwind',
    graceEndsAt: 20 * DAY,
    passkeySatisfies: false,
  }),
  auditRetention: organizations.auditRetentionMail(base, {
    organizationName: 'Northwind',
    days: 365,
    removedFrom: 20 * DAY,
  }),
  tokenOwner: organizations.tokenOwnerMail(base, {
    ...tokenNotice,
    tokens: [token, { ...token, name: 'Deploy', acting: 'read' }],
  }),
  takenOver: organizations.tokenOwnerMail(base, { ...tokenNotice, wasTakenOver: true, tokens: [token] }),
  test: organizations.testMail(base),
  signInCode: signIn.signInCodeMail(link, '318 204'),
  signInElsewhere: signIn.signInElsewhereMail(link),
  confirmationCode: signIn.confirmationCodeMail('318 204'),
  accessRequest: testers.accessRequestsMail(link, {
    ...channel,
    people: [{ email: 'pat@example.com', displayName: 'Pat' }],
    hasMore: false,
  }),
  accessRequests: testers.accessRequestsMail(link, {
    ...channel,
    people: [{ email: 'pat@example.com', displayName: 'Pat' }],
    hasMore: true,
  }),
  accessGranted: testers.accessGrantedMail(link, channel),
  channelInvitation: testers.channelInvitationMail(link, { ...channel, inviterName: 'Dana', expiresAt: 20 * DAY }),
  feedbackReply: testers.feedbackReplyMail({
    projectName: 'Harbor',
    organizationName: 'Northwind',
    authorName: null,
    reply: 'Fixed',
    feedback: 'It is slow',
  }),
};
for (const change of ssoChanges) {
  mails[`sso ${change}`] = organizations.ssoChangedMail(base, { change, organizationName: 'Northwind' });
}
for (const change of securityChanges) {
  const about = { change, name: 'My key', ipAddress: '192.0.2.1', at: 20 * DAY };
  mails[`security ${change}`] = signIn.securityMail(base, about);
}
for (const wayIn of waysIn) {
  const about = { organizationName: 'Northwind', projectName: null, channelName: null, inviterName: 'Dana', wayIn };
  mails[`grant ${wayIn}`] = testers.testerGrantMail(base, about);
}

/** The links, names, versions, dates and numbers above one of a text, which are the same in each language. */
function factsOf(text: string): Record<string, string[]> {
  const links = [...new Set(text.match(/https:\/\/b\.example[^\s.,:)]*/g))];
  const names = [...text.matchAll(/[“„]([^“”„]+)[“”]/g)]
    .map(([, name = '']) => name)
    .filter((name) => !['Email me a code', 'Code per E-Mail senden', 'Installieren', 'Speicher'].includes(name))
    .filter((name) => name !== 'taxiway audit export');
  const plain = text
    .replace(/https:\/\/\S+/g, '')
    .replace(/\b(?<month>[A-Z][a-z]{2}) (?<day>\d{1,2}), (?<year>\d{4})/g, (date) =>
      new Intl.DateTimeFormat('de', { dateStyle: 'medium', timeZone: 'UTC' }).format(Date.parse(`${date} UTC`)),
    );
  return { links, names: [...new Set(names)].sort(), numbers: [...new Set(plain.match(/\d[\d.:]*\d|[2-9]/g))].sort() };
}

describe('the email', () => {
  it.each(Object.keys(mails))('%s says the same in each language', (name) => {
    const write = mails[name] as LocalizedMail;
    const [first, ...others] = languages.map((language) => write(language));
    for (const other of others) {
      expect(factsOf(`${other.subject}\n${other.text}`)).toEqual(factsOf(`${first?.subject}\n${first?.text}`));
      expect(other.text.split('\n\n')).toHaveLength(first?.text.split('\n\n').length ?? 0);
      for (const line of [other.subject, ...other.text.split('\n').filter((part) => / /.test(part))]) {
        if (!/^> /.test(line) && !/\(pat@example\.com\)$/.test(line)) expect(first?.text).not.toContain(line);
      }
    }
  });

  it('about a release is German from subject to small print', () => {
    expect(mails.release?.('de')).toMatchObject({
      subject: 'Neuer Test-Build: „Harbor“ „2.4.0 rc“ (318)',
      text: `„Harbor“ „2.4.0 rc“ (318) von „Northwind“ ist auf dem Kanal „beta“ verfügbar.

Dieses Update ist erforderlich.

Öffnen Sie den Link auf Ihrem Testgerät. Der Link ist persönlich und läuft in 14 Tagen ab.

> Tides

Installieren:
https://b.example/x?token=t

E-Mails über diesen Kanal abbestellen: https://b.example/m
`,
    });
  });
});
