// English texts of emails about organizations and their rules, and of the test email of the server.
import { countOf } from '../../../lib/count.ts';
import { formatMailDay } from '../../dates.ts';
import { quoteName } from '../../names.ts';
import type { OrganizationMails, SsoChange } from '../texts.ts';

const ssoChanges: Record<SsoChange, string> = {
  created: 'An identity provider was configured',
  replaced: 'The identity provider was replaced',
  enabled: 'Single sign-on was enabled',
  domain_verified: 'A domain was verified',
};

const inWords = (role: string) => role.replaceAll('_', ' + ');

export const organizations: OrganizationMails = {
  memberInvitation: ({ organizationName, projectName, projectNames, inviterName, role, expiresAt }) => {
    const organization = quoteName(organizationName);
    const place = projectName === null ? organization : `the project ${quoteName(projectName)} of ${organization}`;
    const invited = inviterName === null ? 'You are invited' : `${quoteName(inviterName)} invites you`;
    return {
      subject: `Invitation to ${organization}`,
      paragraphs: [
        `${invited} to join ${place} on Taxiway, with the role: ${inWords(role)}.`,
        ...(projectNames.length === 0 ? [] : [`You get access to ${projectNames.map(quoteName).join(', ')}.`]),
        `Open the link to join before ${formatMailDay(expiresAt)}. It is only for you: it lets its holder create an account with this email address.`,
      ],
      button: 'View invitation',
      closing: "If you didn't expect an invitation, ignore this email.",
    };
  },
  ssoChanged: (baseUrl, { change, organizationName }) => {
    const what = `${ssoChanges[change]} for ${quoteName(organizationName)}`;
    return {
      subject: what,
      paragraphs: [
        `${what} at ${baseUrl}. The identity provider can sign in every member whose email address is in a verified domain.`,
      ],
      closing: 'If no admin of the organization did this, disable single sign-on and review its audit trail.',
    };
  },
  storageUnreachable: (baseUrl, { organizationName, account, container, reason }) => {
    const organization = quoteName(organizationName);
    return {
      subject: `The storage of ${organization} can't be used`,
      paragraphs: [
        `Taxiway at ${baseUrl} can't use the container ${container} of the storage account ${account}, in which ${organization} stores its builds. Until it can, builds can't be uploaded, downloaded or installed. Everything else works, and nothing is deleted.`,
        `The last response was: ${reason}`,
      ],
      closing:
        'Check that the container exists, and that the application still has its role. The Storage page of the organization has a check that names what is missing.',
    };
  },
  storageReachable: (baseUrl, { organizationName, account, container }) => {
    const organization = quoteName(organizationName);
    return {
      subject: `The storage of ${organization} works again`,
      paragraphs: [
        `Taxiway at ${baseUrl} can use the container ${container} of the storage account ${account} again. Builds of ${organization} can be uploaded, downloaded and installed.`,
      ],
    };
  },
  mfaReminder: (baseUrl, { organizationName, graceEndsAt, passkeySatisfies }) => {
    const date = formatMailDay(graceEndsAt);
    return {
      subject: `Set up two-factor authentication before ${date}`,
      paragraphs: [
        `The organization ${quoteName(organizationName)} at ${baseUrl} requires two-factor authentication (2FA), and your account doesn't have a method that it accepts.`,
        `Set one up before ${date}. After that you can't open the organization until you do.`,
      ],
      button: 'Open your account',
      closing: passkeySatisfies
        ? 'You can add an authenticator app or a passkey in your account settings.'
        : "You can add an authenticator app in your account settings. The organization doesn't accept passkeys for this.",
    };
  },
  auditRetention: (baseUrl, { organizationName, days, removedFrom }) => {
    const organization = quoteName(organizationName);
    return {
      subject: `Audit events of ${organization} will be deleted`,
      paragraphs: [
        `Starting ${formatMailDay(removedFrom)}, audit events of ${organization} at ${baseUrl} that are older than ${countOf(days, 'day')} will be deleted daily.`,
      ],
      closing:
        'Export the events that you want to keep: in the audit trail of the web app, or with "taxiway audit export" on the server.',
    };
  },
  tokenOwner: ({ projectName, organizationName, owner: ownerName, wasTakenOver, tokens, total }) => {
    const project = quoteName(projectName);
    const owner = quoteName(ownerName);
    const more = total - tokens.length;
    return {
      subject: `Access tokens of ${project} need a new owner`,
      paragraphs: [
        wasTakenOver === true
          ? `The account ${owner} was taken over by the owner of its email address. Another person may know the secrets of its tokens, so these tokens of the project ${project} of ${quoteName(organizationName)} stopped working, and pipelines that use them may fail:`
          : `${owner} no longer has a role in the project ${project} of ${quoteName(organizationName)}, or has a lower one. Project access tokens never have more permissions than their owner, so pipelines that use these tokens may fail:`,
        ...tokens.map(({ name, role, acting }) => {
          const change = acting === null ? 'no longer works' : `now has only the ${inWords(acting)} role`;
          return `${quoteName(name)} (${inWords(role)}) ${change}.`;
        }),
        ...(more > 0 ? [`And ${more} more.`] : []),
        'As a project admin you can take over a token with one click. Its secret stays the same, so nothing else has to change.',
      ],
      button: 'Review tokens',
      closing: `If ${owner} knows the secret of a token and should no longer use it, also rotate or revoke the token.`,
    };
  },
  test: (baseUrl) => ({
    subject: 'Test email',
    paragraphs: [`${baseUrl} can send email to this address.`],
    closing: 'You get this email because you sent it from the setup checklist.',
  }),
};
