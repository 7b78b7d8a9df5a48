// The texts of all emails of the program.

import {
  CHANGE_LINK_MS,
  EMAIL_CODE_MS,
  englishLifetime,
  OPEN_LINK_MS,
  RESET_LINK_MS,
  VERIFY_LINK_MS,
} from '../lib/lifetimes.ts';
import { type Platform, platformFacts } from '../platforms.ts';
import { composeMail, type MailContent, plainName } from './letter.ts';

/** Quotes a name chosen by a user for use in a sentence. */
export function quoteName(name: string): string {
  return `“${plainName(name)}”`;
}

/** Quotes a version for use in a sentence. Versions of digits and dots stay unquoted. */
function quoteVersion(name: string): string {
  return /^\d{1,9}(\.\d{1,9}){0,3}$/.test(name) ? name : quoteName(name);
}

/**
 * Sends the link that verifies the email address of a new account. It contains no name, because the reader may not be
 * the person who signed up.
 */
export function verifyEmailMail(url: string): MailContent {
  return composeMail({
    subject: 'Confirm your email address',
    paragraphs: [
      'A Taxiway account was created with this email address.',
      `If that was you, confirm the address. The link works once and expires in ${englishLifetime(VERIFY_LINK_MS)}.`,
    ],
    button: { label: 'Confirm email address', url },
    closing: "If this wasn't you, ignore this email. The account can't be used until the address is confirmed.",
  });
}

/** Answers a sign-up with an address that already has an account. */
export function accountExistsMail(baseUrl: string): MailContent {
  return composeMail({
    subject: 'You already have an account',
    paragraphs: [
      `Someone tried to create an account at ${baseUrl} with this email address, but it already has one. Nothing was changed.`,
      "If that was you, sign in, or reset your password if you've forgotten it.",
    ],
    closing: "If this wasn't you, you don't have to do anything.",
  });
}

/** Sends the link for setting a new password. */
export function passwordResetMail(url: string): MailContent {
  return composeMail({
    subject: 'Reset your password',
    paragraphs: [
      'Someone requested a password reset for your Taxiway account.',
      `If that was you, set a new password with this link. It works once and expires in ${englishLifetime(RESET_LINK_MS)}. Setting a new password signs you out on all devices.`,
    ],
    button: { label: 'Reset password', url },
    closing: "If this wasn't you, ignore this email. Your password stays the same.",
  });
}

/** Sends the code and the link for signing in. They aren't in the subject, which is kept after the email was sent. */
export function signInCodeMail(url: string, code: string): MailContent {
  return composeMail({
    subject: 'Your sign-in code',
    paragraphs: [
      `Your code for signing in to Taxiway is ${code}`,
      `Enter it in the browser where you asked for it, or open the link in that browser. Both work once and expire in ${englishLifetime(EMAIL_CODE_MS)}.`,
    ],
    button: { label: 'Sign in', url },
    closing: "If this wasn't you, ignore this email, and don't give the code to anyone.",
  });
}

/** Answers a request for a sign-in code from a person who must sign in through an identity provider. */
export function signInElsewhereMail(loginUrl: string): MailContent {
  return composeMail({
    subject: 'Sign in through your organization',
    paragraphs: [
      'Someone asked for a code to sign in to Taxiway with this email address.',
      'If that was you, sign in through the identity provider of your organization, which requires it.',
    ],
    button: { label: 'Sign in', url: loginUrl },
    closing: "If this wasn't you, ignore this email.",
  });
}

/** Sends the code that confirms a change to an account without a password. */
export function confirmationCodeMail(code: string): MailContent {
  return composeMail({
    subject: 'Your confirmation code',
    paragraphs: [
      `Your code for confirming a change to your Taxiway account is ${code}`,
      `It works once and expires in ${englishLifetime(EMAIL_CODE_MS)}.`,
    ],
    closing:
      "If this wasn't you, don't give the code to anyone. Someone is signed in to your account: set a password and review your sessions.",
  });
}

/** Shows the operator that the server sends email. */
export function testMail(baseUrl: string): MailContent {
  return composeMail({
    subject: 'Test email',
    paragraphs: [`${baseUrl} can send email to this address.`],
    closing: 'You get this email because you sent it from the setup checklist.',
  });
}

/** Tells the account owner that the password was changed. */
export function passwordChangedMail(baseUrl: string): MailContent {
  return composeMail({
    subject: 'Your password was changed',
    paragraphs: [`The password of your account at ${baseUrl} was changed, and all other sessions were signed out.`],
    closing: "If this wasn't you, reset your password immediately and review your sessions.",
  });
}

/**
 * Tells the account owner about a change to the sign-in methods. `what` is a sentence without a period, `name` is
 * already quoted, `at` is in milliseconds since the epoch.
 */
export function securityMail(
  baseUrl: string,
  what: string,
  { name, ipAddress, at }: { name?: string; ipAddress: string | null; at: number },
): MailContent {
  const when = `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const facts = [`Time: ${when}`, ...(ipAddress === null ? [] : [`IP address: ${ipAddress}`])];
  return composeMail({
    subject: what,
    paragraphs: [`${what}${name === undefined ? '' : ` (${name})`}: your account at ${baseUrl}.`, facts.join(' · ')],
    closing:
      "If this wasn't you, reset your password immediately. The next page lists everything that was added since the last sign-in we know was yours, and lets you remove it.",
  });
}

/** Tells an admin that the single sign-on of the organization changed. `what` is a sentence without a period. */
export function ssoChangedMail(baseUrl: string, what: string, organizationName: string): MailContent {
  return composeMail({
    subject: `${what} for ${quoteName(organizationName)}`,
    organizationName,
    paragraphs: [
      `${what} for ${quoteName(organizationName)} at ${baseUrl}. The identity provider can sign in every member whose email address is in a verified domain.`,
    ],
    closing: 'If no admin of the organization did this, disable single sign-on and review its audit trail.',
  });
}

/** Sends the link that verifies a new email address of an account. */
export function changeEmailMail(url: string): MailContent {
  return composeMail({
    subject: 'Confirm your new email address',
    paragraphs: [
      'Someone wants to use this email address for a Taxiway account.',
      `If that was you, confirm it. The link works once and expires in ${englishLifetime(CHANGE_LINK_MS)}. Until you confirm, the account keeps its old address.`,
    ],
    button: { label: 'Confirm email address', url },
    closing: "If this wasn't you, ignore this email.",
  });
}

/** Tells the old address that the account has a new one. */
export function emailChangedMail(baseUrl: string): MailContent {
  return composeMail({
    subject: 'Your email address was changed',
    paragraphs: [
      `The email address of your account at ${baseUrl} was changed. You can no longer sign in with this address.`,
    ],
    closing: "If this wasn't you, contact the operator of the server immediately.",
  });
}

/**
 * Tells a user that their data export is ready. It contains no download link, because the download requires a sign-in.
 */
export function exportReadyMail(baseUrl: string, expiresAt: number): MailContent {
  return composeMail({
    subject: 'Your data export is ready',
    paragraphs: [
      `The export of your personal data from ${baseUrl} is ready.`,
      `Sign in and download it by ${new Date(expiresAt).toISOString().slice(0, 10)}.`,
    ],
    closing: "If you didn't request it, change your password and review your sessions.",
  });
}

/** Announces the deletion of an account, with a link that cancels it. */
export function deletionRequestedMail(url: string, dueAt: number): MailContent {
  return composeMail({
    subject: 'Your account will be deleted',
    paragraphs: [
      `Your Taxiway account is locked and will be deleted on ${new Date(dueAt).toISOString().slice(0, 10)}.`,
      "If you changed your mind, or if this wasn't you, keep the account with this link. It works once.",
    ],
    button: { label: 'Keep account', url },
    closing: "If you want it deleted, you don't have to do anything.",
  });
}

/**
 * Tells a person that they can test a channel, project or organization. `place` contains quoted names. The only link is
 * to the server.
 */
export function testerGrantMail(
  baseUrl: string,
  {
    place,
    organizationName,
    inviterName,
    hasAccount,
    joinsByEmail,
  }: {
    place: string;
    organizationName: string;
    inviterName: string | null;
    hasAccount: boolean;
    /** Whether the first sign-in with an emailed code creates the account. */
    joinsByEmail: boolean;
  },
): MailContent {
  const invited = inviterName === null ? 'You can now test' : `${quoteName(inviterName)} invites you to test`;
  return composeMail({
    subject: `You can test ${place}`,
    organizationName,
    paragraphs: [
      `${invited} ${place} on Taxiway.`,
      hasAccount
        ? "Sign in with this email address to see the available builds. We'll email you about new releases."
        : joinsByEmail
          ? "Sign in with this email address to see the available builds. You don't need a password: select “Email me a code” on the sign-in page."
          : 'Create an account with this email address and confirm it to see the available builds.',
    ],
    button: { label: 'Open Taxiway', url: baseUrl },
    closing: "If you don't know what this is about, ignore this email.",
  });
}

/** Tells a team that people ask for access to a channel. Their names and addresses were chosen by them. */
export function accessRequestsMail(
  url: string,
  about: {
    place: string;
    organizationName: string;
    people: readonly { email: string; displayName: string }[];
    hasMore: boolean;
  },
): MailContent {
  const { place, organizationName, people, hasMore } = about;
  const isOne = people.length === 1 && !hasMore;
  const names = people.map(({ displayName, email }) => `${quoteName(displayName)} (${email})`);
  return composeMail({
    subject: `${isOne ? 'A person asks' : 'People ask'} for access to ${place}`,
    organizationName,
    paragraphs: [
      `${isOne ? 'This person asks' : 'These people ask'} for access to ${place}:`,
      `${names.join('\n')}${hasMore ? '\nand more' : ''}`,
      'Give them access or decline on the page of the channel.',
    ],
    button: { label: 'View requests', url },
    closing: 'You get this email because you manage the testers of this channel.',
  });
}

/** Tells a person that they got the access they asked for. `place` contains quoted names. */
export function accessGrantedMail(
  url: string,
  { place, organizationName }: { place: string; organizationName: string },
): MailContent {
  return composeMail({
    subject: `You can test ${place}`,
    organizationName,
    paragraphs: [`You now have access to ${place}.`, 'Open the link on your test device and sign in to install.'],
    button: { label: 'Install', url },
  });
}

/** Sends the link that accepts an invitation to a channel. */
export function channelInvitationMail(
  url: string,
  {
    place,
    organizationName,
    inviterName,
    expiresAt,
  }: { place: string; organizationName: string; inviterName: string | null; expiresAt: number },
): MailContent {
  const invited = inviterName === null ? 'You are invited' : `${quoteName(inviterName)} invites you`;
  return composeMail({
    subject: `Invitation to test ${place}`,
    organizationName,
    paragraphs: [
      `${invited} to test ${place} on Taxiway.`,
      `Sign in with this email address and accept the invitation before ${new Date(expiresAt).toISOString().slice(11, 16)} UTC. The link works once.`,
    ],
    button: { label: 'View invitation', url },
    closing: "If you didn't expect an invitation, ignore this email.",
  });
}

const MAX_NOTES_LENGTH = 2_000;

/** Tells a tester about a new release. The names, the version and the notes were chosen by users. */
export function releaseMail(about: {
  projectName: string;
  organizationName: string;
  channelName: string;
  versionName: string;
  /** As shown to people. */
  buildNumber: string;
  isMandatory: boolean;
  notes: string | null;
  installUrl: string;
  muteUrl: string;
}): MailContent {
  const project = quoteName(about.projectName);
  const version = `${quoteVersion(about.versionName)} (${quoteVersion(about.buildNumber)})`;
  const { notes } = about;
  return composeMail({
    subject: `New test build: ${project} ${version}`,
    organizationName: about.organizationName,
    paragraphs: [
      `${project} ${version} of ${quoteName(about.organizationName)} is available on the channel ${quoteName(about.channelName)}.`,
      ...(about.isMandatory ? ['This update is required.'] : []),
      `Open the link on your test device. The link is personal and expires in ${englishLifetime(OPEN_LINK_MS)}.`,
    ],
    quoted: notes !== null && notes.length > MAX_NOTES_LENGTH ? `${notes.slice(0, MAX_NOTES_LENGTH)}…` : notes,
    button: { label: 'Install', url: about.installUrl },
    unsubscribe: { label: 'Unsubscribe from emails about this channel', url: about.muteUrl },
  });
}

/** Tells the owner of devices that waited for a build that one includes them. The names were chosen by users. */
export function deviceReadyMail(about: {
  projectName: string;
  organizationName: string;
  channelName: string;
  versionName: string;
  /** As shown to people. */
  buildNumber: string;
  deviceNames: readonly string[];
  installUrl: string;
  /** Null for people who can't unsubscribe from the channel. */
  muteUrl: string | null;
}): MailContent {
  const project = quoteName(about.projectName);
  const version = `${quoteVersion(about.versionName)} (${quoteVersion(about.buildNumber)})`;
  const [first = '', ...others] = about.deviceNames;
  const devices = others.length === 0 ? quoteName(first) : `${quoteName(first)} and ${others.length} more`;
  const waited = others.length === 0 ? 'which was waiting' : 'which were waiting';
  return composeMail({
    subject: `Ready to install: ${project} ${version}`,
    organizationName: about.organizationName,
    paragraphs: [
      `${project} ${version} of ${quoteName(about.organizationName)} includes ${devices}, ${waited} for a build on the channel ${quoteName(about.channelName)}.`,
      'Open the link on the device and tap Install.',
    ],
    button: { label: 'Install', url: about.installUrl },
    ...(about.muteUrl === null
      ? {}
      : { unsubscribe: { label: 'Unsubscribe from emails about this channel', url: about.muteUrl } }),
  });
}

/** Sends the link that accepts an invitation to an organization or project. The names were chosen by users. */
export function memberInvitationMail(
  url: string,
  about: {
    organizationName: string;
    projectName: string | null;
    /** Of an invitation to the organization. */
    projectNames: readonly string[];
    inviterName: string | null;
    role: string;
    expiresAt: number;
  },
): MailContent {
  const organization = quoteName(about.organizationName);
  const place =
    about.projectName === null ? organization : `the project ${quoteName(about.projectName)} of ${organization}`;
  const invited = about.inviterName === null ? 'You are invited' : `${quoteName(about.inviterName)} invites you`;
  return composeMail({
    subject: `Invitation to ${organization}`,
    organizationName: about.organizationName,
    paragraphs: [
      `${invited} to join ${place} on Taxiway, with the role: ${about.role}.`,
      ...(about.projectNames.length === 0
        ? []
        : [`You get access to ${about.projectNames.map(quoteName).join(', ')}.`]),
      `Open the link to join before ${new Date(about.expiresAt).toISOString().slice(0, 10)}. It is only for you: it lets its holder create an account with this email address.`,
    ],
    button: { label: 'View invitation', url },
    closing: "If you didn't expect an invitation, ignore this email.",
  });
}

/** Builds that retention will delete, for the maintainers of their projects. */
export interface RetentionNotice {
  organizationName: string;
  /** How long the plan keeps builds. */
  days: number;
  /** Earliest time at which one of them can be deleted. */
  deletedFrom: number;
  /** Number of builds affected, including those that aren't listed. */
  total: number;
  projects: readonly { name: string; versions: readonly string[]; more: number }[];
}

/** Announces the builds that will be deleted in a week because they are older than the plan's retention period. */
export function buildRetentionMail(baseUrl: string, notice: RetentionNotice): MailContent {
  const organization = quoteName(notice.organizationName);
  const date = new Date(notice.deletedFrom).toISOString().slice(0, 10);
  const builds = notice.total === 1 ? 'One build' : `${notice.total} builds`;
  return composeMail({
    subject: `${builds} of ${organization} will be deleted`,
    organizationName: notice.organizationName,
    paragraphs: [
      `${builds} of ${organization} at ${baseUrl} will be deleted starting ${date}. Builds are kept for ${notice.days} days.`,
      ...notice.projects.map(({ name, versions, more }) => {
        const listed = versions.map(quoteName).join(', ');
        return `Project ${quoteName(name)}: ${listed}${more === 0 ? '' : ` and ${more} more`}.`;
      }),
    ],
    closing: "Download the builds you want to keep. Builds that are live on a channel aren't deleted.",
  });
}

/** Announces that the oldest events of an organization's audit trail will be deleted. */
export function auditRetentionMail(
  baseUrl: string,
  notice: { organizationName: string; days: number; removedFrom: number },
): MailContent {
  const organization = quoteName(notice.organizationName);
  const date = new Date(notice.removedFrom).toISOString().slice(0, 10);
  return composeMail({
    subject: `Audit events of ${organization} will be deleted`,
    organizationName: notice.organizationName,
    paragraphs: [
      `Starting ${date}, audit events of ${organization} at ${baseUrl} that are older than ${notice.days} days will be deleted daily.`,
    ],
    closing:
      'Export the events that you want to keep: in the audit trail of the web app, or with "taxiway audit export" on the server.',
  });
}

/** Reminds a member that an organization will require two-factor authentication. */
export function mfaReminderMail(baseUrl: string, organizationName: string, graceEndsAt: number): MailContent {
  const date = new Date(graceEndsAt).toISOString().slice(0, 10);
  return composeMail({
    subject: `Set up two-factor authentication before ${date}`,
    organizationName,
    paragraphs: [
      `The organization ${quoteName(organizationName)} at ${baseUrl} requires two-factor authentication (2FA), and your account doesn't have a method that it accepts.`,
      `Set one up before ${date}. After that you can't open the organization until you do.`,
    ],
    closing: 'You can add an authenticator app or a passkey in your account settings.',
  });
}

/**
 * A profile or certificate that will expire, and the current releases that stop working then. The names were chosen by
 * users.
 */
export interface ExpiryWarning {
  kind: 'profile' | 'certificate';
  name: string | null;
  platform: Platform;
  organizationName: string;
  /** Milliseconds since the epoch, as `now`. */
  expiresAt: number;
  now: number;
  places: readonly { projectName: string; channelName: string; versionName: string; buildNumber: string }[];
}

const MAX_PLACES = 20;

/** Warns the maintainers of a project that the profile or certificate of its current releases will expire. */
export function expiryWarningMail(baseUrl: string, warning: ExpiryWarning): MailContent {
  const { kind, name, platform, places } = warning;
  // Rounded, because a warning of 60 days is written a few minutes late.
  const days = Math.round((warning.expiresAt - warning.now) / 86_400_000);
  const when = days < 1 ? 'in less than a day' : days === 1 ? 'in 1 day' : `in ${days} days`;
  const what =
    kind === 'profile'
      ? `provisioning profile${name === null ? '' : ` ${quoteName(name)}`}`
      : `${platformFacts[platform].name} signing certificate`;
  const effect =
    kind === 'profile'
      ? "After that iOS can't install or open builds that contain it."
      : platformFacts[platform].certificateExpiry;
  const moment = new Date(warning.expiresAt).toISOString();
  const more = places.length - MAX_PLACES;
  return composeMail({
    subject: `The ${what} expires ${when}`,
    organizationName: warning.organizationName,
    paragraphs: [
      `The ${what} of ${quoteName(warning.organizationName)} at ${baseUrl} expires ${when}, on ${moment.slice(0, 10)} at ${moment.slice(11, 16)} UTC. ${effect}`,
      ...places
        .slice(0, MAX_PLACES)
        .map(
          (place) =>
            `${quoteName(place.projectName)}, channel ${quoteName(place.channelName)}: ${quoteName(place.versionName)} (${quoteVersion(place.buildNumber)}) is live there.`,
        ),
      ...(more > 0 ? [`And ${more} more.`] : []),
    ],
    closing: `Renew it, create a build with it, and release that build on ${places.length === 1 ? 'this channel' : 'these channels'}.`,
  });
}

/** Project access tokens affected by the role change of their owner, for the admins of their project. */
export interface TokenOwnerNotice {
  projectId: string;
  projectName: string;
  organizationName: string;
  /** The owner's name. */
  owner: string;
  /** Some of the tokens. `acting` is the remaining role, or null if the token no longer works. */
  tokens: readonly { name: string; role: string; acting: string | null }[];
  total: number;
}

/**
 * Lists the project access tokens that stopped working or lost permissions because of their owner, and how to restore
 * them.
 */
export function tokenOwnerMail(baseUrl: string, notice: TokenOwnerNotice): MailContent {
  const project = quoteName(notice.projectName);
  const owner = quoteName(notice.owner);
  const inWords = (role: string) => role.replaceAll('_', ' + ');
  const lines = notice.tokens.map(({ name, role, acting }) => {
    const change = acting === null ? 'no longer works' : `now has only the ${inWords(acting)} role`;
    return `${quoteName(name)} (${inWords(role)}) ${change}.`;
  });
  const more = notice.total - notice.tokens.length;
  return composeMail({
    subject: `Access tokens of ${project} need a new owner`,
    organizationName: notice.organizationName,
    paragraphs: [
      `${owner} no longer has a role in the project ${project} of ${quoteName(notice.organizationName)}, or has a lower one. Project access tokens never have more permissions than their owner, so pipelines that use these tokens may fail:`,
      ...lines,
      ...(more > 0 ? [`And ${more} more.`] : []),
      'As a project admin you can take over a token with one click. Its secret stays the same, so nothing else has to change.',
    ],
    button: { label: 'Review tokens', url: `${baseUrl}/projects/${notice.projectId}/tokens` },
    closing: `If ${owner} knows the secret of a token and should no longer use it, also rotate or revoke the token.`,
  });
}
