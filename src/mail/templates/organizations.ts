// Emails about organizations and their rules, and the test email of the server.
import { countOf } from '../../lib/count.ts';
import { composeMail, type MailContent } from '../letter.ts';
import { formatMailDay } from './dates.ts';
import { quoteName } from './names.ts';

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
      `Open the link to join before ${formatMailDay(about.expiresAt)}. It is only for you: it lets its holder create an account with this email address.`,
    ],
    button: { label: 'View invitation', url },
    closing: "If you didn't expect an invitation, ignore this email.",
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

interface ContainerFacts {
  organizationName: string;
  account: string;
  container: string;
}

/** Tells an admin that the container of the organization can't be used. */
export function storageUnreachableMail(
  baseUrl: string,
  { organizationName, account, container, reason }: ContainerFacts & { reason: string },
): MailContent {
  const organization = quoteName(organizationName);
  return composeMail({
    subject: `The storage of ${organization} can't be used`,
    organizationName,
    paragraphs: [
      `Taxiway at ${baseUrl} can't use the container ${container} of the storage account ${account}, in which ${organization} stores its builds. Until it can, builds can't be uploaded, downloaded or installed. Everything else works, and nothing is deleted.`,
      `The last response was: ${reason}`,
    ],
    closing:
      'Check that the container exists, and that the application still has its role. The Storage page of the organization has a check that names what is missing.',
  });
}

/** Tells an admin that the container of the organization can be used again. */
export function storageReachableMail(
  baseUrl: string,
  { organizationName, account, container }: ContainerFacts,
): MailContent {
  const organization = quoteName(organizationName);
  return composeMail({
    subject: `The storage of ${organization} works again`,
    organizationName,
    paragraphs: [
      `Taxiway at ${baseUrl} can use the container ${container} of the storage account ${account} again. Builds of ${organization} can be uploaded, downloaded and installed.`,
    ],
  });
}

/** Reminds a member that an organization will require two-factor authentication. */
export function mfaReminderMail(
  baseUrl: string,
  {
    organizationName,
    graceEndsAt,
    passkeySatisfies,
  }: { organizationName: string; graceEndsAt: number; passkeySatisfies: boolean },
): MailContent {
  const date = formatMailDay(graceEndsAt);
  return composeMail({
    subject: `Set up two-factor authentication before ${date}`,
    organizationName,
    paragraphs: [
      `The organization ${quoteName(organizationName)} at ${baseUrl} requires two-factor authentication (2FA), and your account doesn't have a method that it accepts.`,
      `Set one up before ${date}. After that you can't open the organization until you do.`,
    ],
    button: { label: 'Open your account', url: `${baseUrl}/me` },
    closing: passkeySatisfies
      ? 'You can add an authenticator app or a passkey in your account settings.'
      : "You can add an authenticator app in your account settings. The organization doesn't accept passkeys for this.",
  });
}

/** Announces that the oldest events of an organization's audit trail will be deleted. */
export function auditRetentionMail(
  baseUrl: string,
  notice: { organizationName: string; days: number; removedFrom: number },
): MailContent {
  const organization = quoteName(notice.organizationName);
  const date = formatMailDay(notice.removedFrom);
  return composeMail({
    subject: `Audit events of ${organization} will be deleted`,
    organizationName: notice.organizationName,
    paragraphs: [
      `Starting ${date}, audit events of ${organization} at ${baseUrl} that are older than ${countOf(notice.days, 'day')} will be deleted daily.`,
    ],
    closing:
      'Export the events that you want to keep: in the audit trail of the web app, or with "taxiway audit export" on the server.',
  });
}

/** Project access tokens affected by the role change of their owner, for the admins of their project. */
export interface TokenOwnerNotice {
  projectId: string;
  projectName: string;
  organizationName: string;
  /** The owner's name. */
  owner: string;
  /** Whether the owner of the email address took the account over. */
  wasTakenOver?: boolean;
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
      notice.wasTakenOver === true
        ? `The account ${owner} was taken over by the owner of its email address. Another person may know the secrets of its tokens, so these tokens of the project ${project} of ${quoteName(notice.organizationName)} stopped working, and pipelines that use them may fail:`
        : `${owner} no longer has a role in the project ${project} of ${quoteName(notice.organizationName)}, or has a lower one. Project access tokens never have more permissions than their owner, so pipelines that use these tokens may fail:`,
      ...lines,
      ...(more > 0 ? [`And ${more} more.`] : []),
      'As a project admin you can take over a token with one click. Its secret stays the same, so nothing else has to change.',
    ],
    button: { label: 'Review tokens', url: `${baseUrl}/projects/${notice.projectId}/tokens` },
    closing: `If ${owner} knows the secret of a token and should no longer use it, also rotate or revoke the token.`,
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
