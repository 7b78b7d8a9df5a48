// The texts of the pages of links in emails about accounts.
import type { Heading } from './install-texts.ts';

interface LinkPageTexts extends Heading {
  button: string;
  done: Heading;
}

export interface LinkTexts {
  pages: Record<'verify_email' | 'password_reset' | 'change_email' | 'cancel_deletion', LinkPageTexts>;
  dead: Heading;
  newPassword: string;
  passwordHint(minimum: number): string;
  /** Returns what is wrong with a password, by the server's message. */
  passwordProblem(message: string): string;
  signIn: string;
  /** What was added to the account, after a password reset. */
  review: {
    passwordSet: string;
    removed: string;
    kinds: Record<'totp' | 'recovery_codes' | 'passkey' | 'personal_access_token', string>;
    text(isOne: boolean): string;
    named(kind: string, name: string): string;
    added(what: string, moment: string): string;
    /** `name` is null for additions without a name. */
    remove(kind: string, name: string | null): string;
    removeAll: string;
    keep(isOne: boolean): string;
    done: Heading;
    expired: Heading;
  };
}
