// Emails about signing in: codes, and changes to the sign-in methods.
import { EMAIL_CODE_MS, englishLifetime } from '../../lib/lifetimes.ts';
import { composeMail, type MailContent } from '../letter.ts';
import { formatMailTime } from './dates.ts';

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

/**
 * Tells the account owner about a change to the sign-in methods. `what` is a sentence without a period, `name` is
 * already quoted, `at` is in milliseconds since the epoch.
 */
export function securityMail(
  baseUrl: string,
  what: string,
  { name, ipAddress, at }: { name?: string; ipAddress: string | null; at: number },
): MailContent {
  const facts = [`Time: ${formatMailTime(at)}`, ...(ipAddress === null ? [] : [`IP address: ${ipAddress}`])];
  return composeMail({
    subject: what,
    paragraphs: [`${what}${name === undefined ? '' : ` (${name})`}: your account at ${baseUrl}.`, facts.join(' · ')],
    closing: `If this wasn't you, reset your password immediately at ${baseUrl}/reset. After the reset, you can remove what was added to your account since the last sign-in that we know was yours.`,
  });
}
