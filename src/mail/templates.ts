// Every mail the program writes, in one place: each as plain text and as HTML from the same words.

import type { MailDraft } from '../core/context.ts';
import { type Html, html } from '../lib/html.ts';
import type { Platform } from '../platforms.ts';

export type MailContent = Pick<MailDraft, 'subject' | 'text' | 'html'>;

interface Letter {
  subject: string;
  /** One paragraph each. Values in them are escaped like everything else. */
  paragraphs: readonly string[];
  /** Text somebody wrote, set apart, with its lines as they are. */
  quoted?: string | null;
  button?: { label: string; url: string };
  /** Stands after the button, smaller. */
  closing?: string;
}

const LONGEST_QUOTE = 80;

/**
 * A name somebody chose, for a place in a sentence of a mail: one line, short, in quotation marks, and with what mail
 * programs turn into links taken apart, so that nobody sends advertisements in our name.
 */
export function quoteName(name: string): string {
  const line = name
    .normalize('NFC')
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  const shown = line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line;
  return `“${shown
    .replace(/:\/\//g, ': //')
    .replace(/(?<=[\p{L}\p{N}])\.(?=\p{L})/gu, '. ')
    .replaceAll('@', ' at ')}”`;
}

/** A version as part of a sentence: bare where it is numbers and dots alone, else quoted as other names are. */
function quoteVersion(name: string): string {
  return /^\d{1,9}(\.\d{1,9}){0,3}$/.test(name) ? name : quoteName(name);
}

/** Sets a letter as plain text and as HTML. Addresses stand in full in both, for who reads without a mouse. */
export function composeMail({ subject, paragraphs, quoted, button, closing }: Letter): MailContent {
  const quote = quoted?.replaceAll(/^/gm, '> ');
  const text = [...paragraphs, quote, ...(button === undefined ? [] : [`${button.label}:\n${button.url}`]), closing]
    .filter((part) => part !== undefined)
    .join('\n\n');
  const block: Html | null =
    quoted === undefined || quoted === null
      ? null
      : html`<p style="white-space:pre-line;border-left:3px solid #d4d4d8;padding-left:12px">${quoted}</p>\n`;
  const address: Html | null =
    button === undefined
      ? null
      : html`<p style="margin:24px 0"><a href="${button.url}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#1d4ed8;color:#ffffff;text-decoration:none;font-weight:600">${button.label}</a></p>
<p style="font-size:13px;color:#52525b;word-break:break-all">${button.url}</p>
`;
  const end = closing === undefined ? null : html`<p style="font-size:14px;color:#52525b">${closing}</p>\n`;
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${subject}</title>
</head>
<body style="margin:0;padding:24px;background:#ffffff;color:#18181b;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif">
<div style="max-width:560px;margin:0 auto">
${paragraphs.map((paragraph) => html`<p>${paragraph}</p>\n`)}${block}${address}${end}</div>
</body>
</html>
`;
  return { subject, text: `${text}\n`, html: document.toString() };
}

/** The link that proves an address after a sign-up. It names nobody: whoever signed up may not be who reads it. */
export function verifyEmailMail(url: string): MailContent {
  return composeMail({
    subject: 'Confirm your e-mail address',
    paragraphs: [
      'An account was made on Taxiway with this e-mail address.',
      'If that was you, confirm that the address is yours. The link works once, for 24 hours.',
    ],
    button: { label: 'Confirm the address', url },
    closing: 'If it was not you, leave this message alone: without the confirmation the account can do nothing.',
  });
}

/** Answers a sign-up with an address that has an account already. */
export function accountExistsMail(baseUrl: string): MailContent {
  return composeMail({
    subject: 'You have an account already',
    paragraphs: [
      `Somebody tried to make an account at ${baseUrl} with this e-mail address, which has one already. Nothing was changed.`,
      'If that was you, sign in, or ask for a new password if you have forgotten yours.',
    ],
    closing: 'If it was not you, there is nothing to do.',
  });
}

/** The link that sets a new password. */
export function passwordResetMail(url: string): MailContent {
  return composeMail({
    subject: 'Set a new password',
    paragraphs: [
      'Somebody asked for a new password for your account on Taxiway.',
      'If that was you, set it here. The link works once, for one hour, and signs you out everywhere.',
    ],
    button: { label: 'Set a new password', url },
    closing: 'If it was not you, leave this message alone: the password stays as it is.',
  });
}

/** Tells the owner that the password is another one now. */
export function passwordChangedMail(baseUrl: string): MailContent {
  return composeMail({
    subject: 'Your password was changed',
    paragraphs: [`The password of your account at ${baseUrl} was changed, and other sessions were signed out.`],
    closing: 'If it was not you, ask for a new password at once and look through your sessions.',
  });
}

/**
 * Tells the owner about a change to the ways into an account; `what` is a sentence without its full stop, `name` is quoted
 * already, `at` is in milliseconds since the epoch.
 */
export function secondFactorMail(
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
      'If it was not you, reset your password right away. The page after it lists what was added since the last sign-in that we know was yours, with buttons to remove it.',
  });
}

/** Tells an admin who may sign members in from now on; `what` is a sentence without its full stop. */
export function ssoChangedMail(baseUrl: string, what: string, organizationName: string): MailContent {
  return composeMail({
    subject: `${what} for ${quoteName(organizationName)}`,
    paragraphs: [
      `${what} for ${quoteName(organizationName)} at ${baseUrl}. The identity provider can sign in every member with an address in a verified domain.`,
    ],
    closing:
      'If no admin of the organization did this, disable single sign-on and review the audit trail of the organization.',
  });
}

/** The link that proves the new address of an account. */
export function changeEmailMail(url: string): MailContent {
  return composeMail({
    subject: 'Confirm your new e-mail address',
    paragraphs: [
      'Somebody wants to use this e-mail address for an account on Taxiway.',
      'If that was you, confirm it. The link works once, for 24 hours; until then the account keeps its address.',
    ],
    button: { label: 'Use this address', url },
    closing: 'If it was not you, leave this message alone.',
  });
}

/** Tells the old address that the account has moved to another one. */
export function emailChangedMail(baseUrl: string): MailContent {
  return composeMail({
    subject: 'The e-mail address of your account was changed',
    paragraphs: [
      `Your account at ${baseUrl} has another e-mail address now. This one cannot be used to sign in any more.`,
    ],
    closing: 'If it was not you, turn to the operator of the service at once.',
  });
}

/** Tells that the archive of personal data can be downloaded. It carries no link to the bytes: those need a sign-in. */
export function exportReadyMail(baseUrl: string, expiresAt: number): MailContent {
  return composeMail({
    subject: 'Your data export is ready',
    paragraphs: [
      `The archive of what ${baseUrl} keeps about you is ready.`,
      `Sign in and download it before ${new Date(expiresAt).toISOString().slice(0, 10)}.`,
    ],
    closing: 'If you did not ask for it, change your password and look through your sessions.',
  });
}

/** Says that an account will be deleted, with the link that keeps it. */
export function deletionRequestedMail(url: string, dueAt: number): MailContent {
  return composeMail({
    subject: 'Your account will be deleted',
    paragraphs: [
      `Your account on Taxiway is locked and will be deleted on ${new Date(dueAt).toISOString().slice(0, 10)}.`,
      'If you have changed your mind, or if this was not you, keep it with the link below. It works once.',
    ],
    button: { label: 'Keep my account', url },
    closing: 'If you want it deleted, there is nothing to do.',
  });
}

/** Tells somebody that they may test something. `place` holds quoted names; there is no link in it but to the service. */
export function testerGrantMail(
  baseUrl: string,
  { place, inviterName, hasAccount }: { place: string; inviterName: string | null; hasAccount: boolean },
): MailContent {
  const invited = inviterName === null ? 'You can now test' : `${quoteName(inviterName)} lets you test`;
  return composeMail({
    subject: `You can test ${place}`,
    paragraphs: [
      `${invited} ${place} on Taxiway.`,
      hasAccount
        ? 'Sign in with this e-mail address to see what there is. New releases are told to you by mail.'
        : 'Make an account with this e-mail address and confirm it; then you see what there is.',
    ],
    button: { label: 'Open Taxiway', url: baseUrl },
    closing: 'If this means nothing to you, leave this message alone.',
  });
}

/** The link that accepts an invitation into a channel. */
export function channelInvitationMail(
  url: string,
  { place, inviterName, expiresAt }: { place: string; inviterName: string | null; expiresAt: number },
): MailContent {
  const invited = inviterName === null ? 'You are invited' : `${quoteName(inviterName)} invites you`;
  return composeMail({
    subject: `Invitation to test ${place}`,
    paragraphs: [
      `${invited} to test ${place} on Taxiway.`,
      `Sign in with this e-mail address and accept before ${new Date(expiresAt).toISOString().slice(11, 16)} UTC. The link works once.`,
    ],
    button: { label: 'Look at the invitation', url },
    closing: 'If you expect no invitation, leave this message alone: nothing happens without you.',
  });
}

const LONGEST_NOTES = 2_000;

/** Tells a tester that there is something new to install. Names, version and notes were chosen by others. */
export function releaseMail(about: {
  projectName: string;
  organizationName: string;
  channelName: string;
  versionName: string;
  /** As people see it. */
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
    paragraphs: [
      `There is something new to test: ${project} ${version} of ${quoteName(about.organizationName)}, on the channel ${quoteName(about.channelName)}.`,
      ...(about.isMandatory ? ['Everybody who tests is asked to install it.'] : []),
      'Open the link on the phone that you test with. It is yours alone; it works for 14 days.',
    ],
    quoted: notes !== null && notes.length > LONGEST_NOTES ? `${notes.slice(0, LONGEST_NOTES)}…` : notes,
    button: { label: 'Install', url: about.installUrl },
    closing: `To get no more mails about this channel: ${about.muteUrl}`,
  });
}

/** The link that accepts an invitation into an organization or one of its projects. Names in it were chosen by others. */
export function memberInvitationMail(
  url: string,
  about: {
    organizationName: string;
    projectName: string | null;
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
    paragraphs: [
      `${invited} to join ${place} on Taxiway, with the role: ${about.role}.`,
      `Sign in with this e-mail address, or make an account with it, and accept before ${new Date(about.expiresAt).toISOString().slice(0, 10)}.`,
    ],
    button: { label: 'Look at the invitation', url },
    closing: 'If you expect no invitation, leave this message alone: nothing happens without you.',
  });
}

/** Builds that retention will delete, for whoever maintains their projects. */
export interface RetentionNotice {
  organizationName: string;
  /** How long the plan keeps builds. */
  days: number;
  /** The first moment at which one of them may be deleted. */
  deletedFrom: number;
  /** How many builds it is about, listed or not. */
  total: number;
  projects: readonly { name: string; versions: readonly string[]; more: number }[];
}

/** Says which builds will be deleted in a week because they are older than the plan keeps them. */
export function buildRetentionMail(baseUrl: string, notice: RetentionNotice): MailContent {
  const organization = quoteName(notice.organizationName);
  const date = new Date(notice.deletedFrom).toISOString().slice(0, 10);
  const builds = notice.total === 1 ? 'One build' : `${notice.total} builds`;
  return composeMail({
    subject: `${builds} of ${organization} will be deleted`,
    paragraphs: [
      `${builds} of ${organization} at ${baseUrl} will be deleted from ${date} on: builds are kept for ${notice.days} days.`,
      ...notice.projects.map(({ name, versions, more }) => {
        const listed = versions.map(quoteName).join(', ');
        return `Project ${quoteName(name)}: ${listed}${more === 0 ? '' : ` and ${more} more`}.`;
      }),
    ],
    closing: 'Download what you want to keep. Builds that a channel serves now are not among them.',
  });
}

/** Announces that the oldest events of an organization's audit trail will be removed. */
export function auditRetentionMail(
  baseUrl: string,
  notice: { organizationName: string; days: number; removedFrom: number },
): MailContent {
  const organization = quoteName(notice.organizationName);
  const date = new Date(notice.removedFrom).toISOString().slice(0, 10);
  return composeMail({
    subject: `Audit events of ${organization} will be removed`,
    paragraphs: [
      `From ${date} on, audit events of ${organization} at ${baseUrl} that are older than ${notice.days} days will be removed every day.`,
    ],
    closing: 'Export the events you want to keep: in the audit log, or with "taxiway audit export" on the server.',
  });
}

/** Reminds a member that an organization will ask for a second factor. */
export function mfaReminderMail(baseUrl: string, organizationName: string, graceEndsAt: number): MailContent {
  const date = new Date(graceEndsAt).toISOString().slice(0, 10);
  return composeMail({
    subject: `Set up a second factor before ${date}`,
    paragraphs: [
      `The organization ${quoteName(organizationName)} at ${baseUrl} asks its members for a second factor, and your account has none that it accepts.`,
      `Set one up before ${date}; from then on the organization is closed to you until you have.`,
    ],
    closing: 'An authenticator app or a passkey is set up in the settings of your account.',
  });
}

/** A profile or certificate that will end, and the current releases that stop working with it. Names were chosen by others. */
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

const MOST_PLACES = 20;

/** Warns who maintains a project that what signs its current releases will end. */
export function expiryWarningMail(baseUrl: string, warning: ExpiryWarning): MailContent {
  const { kind, name, platform, places } = warning;
  // Rounded, as a warning of 60 days is written some minutes later.
  const days = Math.round((warning.expiresAt - warning.now) / 86_400_000);
  const when = days < 1 ? 'in less than a day' : days === 1 ? 'in 1 day' : `in ${days} days`;
  const what =
    kind === 'profile'
      ? `provisioning profile${name === null ? '' : ` ${quoteName(name)}`}`
      : `${platform === 'ios' ? 'iOS' : 'Android'} signing certificate`;
  const effect = {
    profile: 'From then on iOS neither installs nor opens the builds that carry it.',
    ios: 'New builds need another one, and enterprise builds signed with it stop opening.',
    android: 'Renewing it with the same key keeps updates possible; another key makes testers uninstall the app first.',
  }[kind === 'profile' ? 'profile' : platform];
  const moment = new Date(warning.expiresAt).toISOString();
  const more = places.length - MOST_PLACES;
  return composeMail({
    subject: `The ${what} ends ${when}`,
    paragraphs: [
      `The ${what} of ${quoteName(warning.organizationName)} at ${baseUrl} ends ${when}, on ${moment.slice(0, 10)} at ${moment.slice(11, 16)} UTC. ${effect}`,
      ...places
        .slice(0, MOST_PLACES)
        .map(
          (place) =>
            `${quoteName(place.projectName)}, channel ${quoteName(place.channelName)}: ${quoteName(place.versionName)} (${quoteVersion(place.buildNumber)}) is served there now.`,
        ),
      ...(more > 0 ? [`And ${more} more.`] : []),
    ],
    closing: `Renew it, make a build with it, and release that on ${places.length === 1 ? 'this channel' : 'these channels'}.`,
  });
}

/** Project access tokens whose owner lost a role, for the admins of their project. */
export interface TokenOwnerNotice {
  projectId: string;
  projectName: string;
  organizationName: string;
  /** The owner's name. */
  owner: string;
  /** Some of the tokens; `acting` is the role that is left, null for a token that stopped. */
  tokens: readonly { name: string; role: string; acting: string | null }[];
  total: number;
}

/** Says which project access tokens stopped or became weaker with their owner, and how to get them going again. */
export function tokenOwnerMail(baseUrl: string, notice: TokenOwnerNotice): MailContent {
  const project = quoteName(notice.projectName);
  const owner = quoteName(notice.owner);
  const inWords = (role: string) => role.replaceAll('_', ' + ');
  const lines = notice.tokens.map(({ name, role, acting }) => {
    const change = acting === null ? 'no longer works' : `has only the role ${inWords(acting)} now`;
    return `${quoteName(name)} (${inWords(role)}) ${change}.`;
  });
  const more = notice.total - notice.tokens.length;
  return composeMail({
    subject: `Access tokens of ${project} need a new owner`,
    paragraphs: [
      `${owner} has lost their role in the project ${project} of ${quoteName(notice.organizationName)}, or has a lower one now. Project access tokens never have more than the role of their owner, so builds that use these may fail:`,
      ...lines,
      ...(more > 0 ? [`And ${more} more.`] : []),
      'As an admin of the project you can take a token over with one click. Its secret stays the same, so nothing else has to be changed.',
    ],
    button: { label: 'Review tokens', url: `${baseUrl}/projects/${notice.projectId}/tokens` },
    closing: `If ${owner} knows the secret of a token and should not use it any more, rotate the token too, or revoke it.`,
  });
}
