// English texts of emails about signing in: codes, and changes to the sign-in methods.
import { EMAIL_CODE_MS, englishLifetime } from '../../../lib/lifetimes.ts';
import { formatMailTime } from '../../dates.ts';
import { quoteName } from '../../names.ts';
import type { SecurityChange, SignInMails } from '../texts.ts';

const changes: Record<SecurityChange, string> = {
  mfa_enabled: 'An authenticator app was added',
  mfa_disabled: 'The authenticator app was removed',
  recovery_codes_regenerated: 'New recovery codes were created',
  recovery_codes_removed: 'The recovery codes were removed',
  passkey_registered: 'A passkey was added',
  passkey_removed: 'A passkey was removed',
  factors_removed: 'The operator disabled two-factor authentication',
  personal_token_created: 'A personal access token was created',
  personal_token_rotated: 'A personal access token was rotated',
};

export const signIn: SignInMails = {
  code: (code) => ({
    subject: 'Your sign-in code',
    paragraphs: [
      `Your code for signing in to Taxiway is ${code}`,
      `Enter it in the browser where you asked for it, or open the link in that browser. Both work once and expire in ${englishLifetime(EMAIL_CODE_MS)}.`,
    ],
    button: 'Sign in',
    closing: "If this wasn't you, ignore this email, and don't give the code to anyone.",
  }),
  elsewhere: {
    subject: 'Sign in through your organization',
    paragraphs: [
      'Someone asked for a code to sign in to Taxiway with this email address.',
      'If that was you, sign in through the identity provider of your organization, which requires it.',
    ],
    button: 'Sign in',
    closing: "If this wasn't you, ignore this email.",
  },
  confirmationCode: (code) => ({
    subject: 'Your confirmation code',
    paragraphs: [
      `Your code for confirming a change to your Taxiway account is ${code}`,
      `It works once and expires in ${englishLifetime(EMAIL_CODE_MS)}.`,
    ],
    closing:
      "If this wasn't you, don't give the code to anyone. Someone is signed in to your account: set a password and review your sessions.",
  }),
  security: (baseUrl, { change, name, ipAddress, at }) => {
    const facts = [`Time: ${formatMailTime(at)}`, ...(ipAddress === null ? [] : [`IP address: ${ipAddress}`])];
    return {
      subject: changes[change],
      paragraphs: [
        `${changes[change]}${name === undefined ? '' : ` (${quoteName(name)})`}: your account at ${baseUrl}.`,
        facts.join(' · '),
      ],
      closing: `If this wasn't you, reset your password immediately at ${baseUrl}/reset. After the reset, you can remove what was added to your account since the last sign-in that we know was yours.`,
    };
  },
};
