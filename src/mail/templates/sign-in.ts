// Emails about signing in: codes, and changes to the sign-in methods.
import type { LocalizedMail } from '../../core/context.ts';
import { localizedMail } from '../localized.ts';
import type { SecurityChange } from '../texts/texts.ts';

/** Sends the code and the link for signing in. They aren't in the subject, which is kept after the email was sent. */
export function signInCodeMail(url: string, code: string): LocalizedMail {
  return localizedMail(({ signIn }) => signIn.code(code), { url });
}

/** Answers a request for a sign-in code from a person who must sign in through an identity provider. */
export function signInElsewhereMail(loginUrl: string): LocalizedMail {
  return localizedMail(({ signIn }) => signIn.elsewhere, { url: loginUrl });
}

/** Sends the code that confirms a change to an account without a password. */
export function confirmationCodeMail(code: string): LocalizedMail {
  return localizedMail(({ signIn }) => signIn.confirmationCode(code));
}

/** Tells the account owner about a change to the sign-in methods. `name` is that of the changed item, `at` in milliseconds since the epoch. */
export function securityMail(
  baseUrl: string,
  about: { change: SecurityChange; name: string | undefined; ipAddress: string | null; at: number },
): LocalizedMail {
  return localizedMail(({ signIn }) => signIn.security(baseUrl, about));
}
