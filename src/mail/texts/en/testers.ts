// English texts of emails about the access of testers, and of replies to their feedback.
import { formatMailClock } from '../../dates.ts';
import { quoteName } from '../../names.ts';
import type { TestedPlace, TesterMails, WayIn } from '../texts.ts';

const instructions: Record<WayIn, string> = {
  account: "Sign in with this email address to see the available builds. We'll email you about new releases.",
  email_code:
    "Sign in with this email address to see the available builds. You don't need a password: select “Email me a code” on the sign-in page.",
  sign_up: 'Create an account with this email address and confirm it to see the available builds.',
  operator:
    'If your organization uses single sign-on, sign in with it to see the available builds. Otherwise, ask the operator of the server for an account with this email address.',
};

function nameOf({ organizationName, projectName, channelName }: TestedPlace): string {
  const organization = quoteName(organizationName);
  if (projectName === null) return `the apps of ${organization}`;
  const project = `${quoteName(projectName)} of ${organization}`;
  return channelName === null ? project : `${project}, channel ${quoteName(channelName)}`;
}

export const testers: TesterMails = {
  grant: ({ inviterName, wayIn, ...place }) => ({
    subject: `You can test ${nameOf(place)}`,
    paragraphs: [
      `${inviterName === null ? 'You can now test' : `${quoteName(inviterName)} invites you to test`} ${nameOf(place)} on Taxiway.`,
      instructions[wayIn],
    ],
    button: 'Open Taxiway',
    closing: "If you don't know what this is about, ignore this email.",
  }),
  accessRequests: ({ people, hasMore, ...place }) => {
    const isOne = people.length === 1 && !hasMore;
    const names = people.map(({ displayName, email }) => `${quoteName(displayName)} (${email})`);
    return {
      subject: `${isOne ? 'A person asks' : 'People ask'} for access to ${nameOf(place)}`,
      paragraphs: [
        `${isOne ? 'This person asks' : 'These people ask'} for access to ${nameOf(place)}:`,
        `${names.join('\n')}${hasMore ? '\nand more' : ''}`,
        'Give them access or decline on the page of the channel.',
      ],
      button: 'View requests',
      closing: 'You get this email because you manage the testers of this channel.',
    };
  },
  accessGranted: (place) => ({
    subject: `You can test ${nameOf(place)}`,
    paragraphs: [
      `You now have access to ${nameOf(place)}.`,
      'Open the link on your test device and sign in to install.',
    ],
    button: 'Install',
  }),
  channelInvitation: ({ inviterName, expiresAt, ...place }) => ({
    subject: `Invitation to test ${nameOf(place)}`,
    paragraphs: [
      `${inviterName === null ? 'You are invited' : `${quoteName(inviterName)} invites you`} to test ${nameOf(place)} on Taxiway.`,
      `Sign in with this email address and accept the invitation before ${formatMailClock(expiresAt)} UTC. The link works once.`,
    ],
    button: 'View invitation',
    closing: "If you didn't expect an invitation, ignore this email.",
  }),
  feedbackReply: ({ projectName, authorName }) => ({
    subject: `Reply to your feedback on ${quoteName(projectName)}`,
    paragraphs: [
      `${authorName === null ? 'The team' : quoteName(authorName)} replied to your feedback on ${quoteName(projectName)}:`,
    ],
    closing: 'To answer, send feedback again where you sent it. Replies to this email may not be read.',
  }),
};
