// Emails about the access of testers.
import { composeMail, type MailContent } from '../letter.ts';
import { quoteName } from './names.ts';

/** How a person with a new grant gets in: with an account, by the first emailed code, by signing up, or by asking the operator for an account. */
export type WayIn = 'account' | 'email_code' | 'sign_up' | 'operator';

const instructions: Record<WayIn, string> = {
  account: "Sign in with this email address to see the available builds. We'll email you about new releases.",
  email_code:
    "Sign in with this email address to see the available builds. You don't need a password: select “Email me a code” on the sign-in page.",
  sign_up: 'Create an account with this email address and confirm it to see the available builds.',
  operator:
    'If your organization uses single sign-on, sign in with it to see the available builds. Otherwise, ask the operator of the server for an account with this email address.',
};

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
    wayIn,
  }: {
    place: string;
    organizationName: string;
    inviterName: string | null;
    wayIn: WayIn;
  },
): MailContent {
  const invited = inviterName === null ? 'You can now test' : `${quoteName(inviterName)} invites you to test`;
  return composeMail({
    subject: `You can test ${place}`,
    organizationName,
    paragraphs: [`${invited} ${place} on Taxiway.`, instructions[wayIn]],
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
