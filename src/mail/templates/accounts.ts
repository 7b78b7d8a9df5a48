// Emails about accounts: their address, password, export and deletion.
import type { LocalizedMail } from '../../core/context.ts';
import { localizedMail } from '../localized.ts';

/**
 * Sends the link that verifies the email address of a new account. It contains no name, because the reader may not be
 * the person who signed up.
 */
export function verifyEmailMail(url: string): LocalizedMail {
  return localizedMail(({ accounts }) => accounts.verifyEmail, { url });
}

/** Answers a sign-up with an address that already has an account. */
export function accountExistsMail(baseUrl: string): LocalizedMail {
  return localizedMail(({ accounts }) => accounts.accountExists(baseUrl), { url: `${baseUrl}/sign-in` });
}

/** Sends the link for setting a new password. */
export function passwordResetMail(url: string): LocalizedMail {
  return localizedMail(({ accounts }) => accounts.passwordReset, { url });
}

/** Tells the account owner that the password was changed. */
export function passwordChangedMail(baseUrl: string): LocalizedMail {
  return localizedMail(({ accounts }) => accounts.passwordChanged(baseUrl));
}

/** Sends the link that verifies a new email address of an account. */
export function changeEmailMail(url: string): LocalizedMail {
  return localizedMail(({ accounts }) => accounts.changeEmail, { url });
}

/** Tells the old address that the account has a new one. */
export function emailChangedMail(baseUrl: string): LocalizedMail {
  return localizedMail(({ accounts }) => accounts.emailChanged(baseUrl));
}

/**
 * Tells a user that their data export is ready. It contains no download link, because the download requires a sign-in.
 */
export function exportReadyMail(baseUrl: string, expiresAt: number): LocalizedMail {
  return localizedMail(({ accounts }) => accounts.exportReady(baseUrl, expiresAt), { url: `${baseUrl}/me` });
}

/** Announces the deletion of an account, with a link that cancels it. */
export function deletionRequestedMail(url: string, dueAt: number): LocalizedMail {
  return localizedMail(({ accounts }) => accounts.deletionRequested(dueAt), { url });
}
