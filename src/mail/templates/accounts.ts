// Emails about accounts: their address, password, export and deletion.
import { CHANGE_LINK_MS, englishLifetime, RESET_LINK_MS, VERIFY_LINK_MS } from '../../lib/lifetimes.ts';
import { composeMail, type MailContent } from '../letter.ts';
import { formatMailDay } from './dates.ts';

/**
 * Sends the link that verifies the email address of a new account. It contains no name, because the reader may not be
 * the person who signed up.
 */
export function verifyEmailMail(url: string): MailContent {
  return composeMail({
    subject: 'Confirm your email address',
    paragraphs: [
      'A Taxiway account was created with this email address.',
      `If that was you, confirm the address. The link works once and expires in ${englishLifetime(VERIFY_LINK_MS)}.`,
    ],
    button: { label: 'Confirm email address', url },
    closing: "If this wasn't you, ignore this email. Until the address is confirmed, the account has read-only access.",
  });
}

/** Answers a sign-up with an address that already has an account. */
export function accountExistsMail(baseUrl: string): MailContent {
  return composeMail({
    subject: 'You already have an account',
    paragraphs: [
      `Someone tried to create an account at ${baseUrl} with this email address, but it already has one. Nothing was changed.`,
      "If that was you, sign in, or reset your password if you've forgotten it.",
    ],
    button: { label: 'Sign in', url: `${baseUrl}/sign-in` },
    closing: "If this wasn't you, you don't have to do anything.",
  });
}

/** Sends the link for setting a new password. */
export function passwordResetMail(url: string): MailContent {
  return composeMail({
    subject: 'Reset your password',
    paragraphs: [
      'Someone requested a password reset for your Taxiway account.',
      `If that was you, set a new password with this link. It works once and expires in ${englishLifetime(RESET_LINK_MS)}. Setting a new password signs you out on all devices.`,
    ],
    button: { label: 'Reset password', url },
    closing: "If this wasn't you, ignore this email. Your password stays the same.",
  });
}

/** Tells the account owner that the password was changed. */
export function passwordChangedMail(baseUrl: string): MailContent {
  return composeMail({
    subject: 'Your password was changed',
    paragraphs: [`The password of your account at ${baseUrl} was changed, and all other sessions were signed out.`],
    closing: `If this wasn't you, reset your password immediately at ${baseUrl}/reset and review your sessions.`,
  });
}

/** Sends the link that verifies a new email address of an account. */
export function changeEmailMail(url: string): MailContent {
  return composeMail({
    subject: 'Confirm your new email address',
    paragraphs: [
      'Someone wants to use this email address for a Taxiway account.',
      `If that was you, confirm it. The link works once and expires in ${englishLifetime(CHANGE_LINK_MS)}. Until you confirm, the account keeps its old address.`,
    ],
    button: { label: 'Confirm email address', url },
    closing: "If this wasn't you, ignore this email.",
  });
}

/** Tells the old address that the account has a new one. */
export function emailChangedMail(baseUrl: string): MailContent {
  return composeMail({
    subject: 'Your email address was changed',
    paragraphs: [
      `The email address of your account at ${baseUrl} was changed. You can no longer sign in with this address.`,
    ],
    closing: "If this wasn't you, contact the operator of the server immediately.",
  });
}

/**
 * Tells a user that their data export is ready. It contains no download link, because the download requires a sign-in.
 */
export function exportReadyMail(baseUrl: string, expiresAt: number): MailContent {
  return composeMail({
    subject: 'Your data export is ready',
    paragraphs: [
      `The export of your personal data from ${baseUrl} is ready.`,
      `Sign in and download it by ${formatMailDay(expiresAt)}.`,
    ],
    button: { label: 'Open your account', url: `${baseUrl}/me` },
    closing: "If you didn't request it, change your password and review your sessions.",
  });
}

/** Announces the deletion of an account, with a link that cancels it. */
export function deletionRequestedMail(url: string, dueAt: number): MailContent {
  return composeMail({
    subject: 'Your account will be deleted',
    paragraphs: [
      `Your Taxiway account is locked and will be deleted on ${formatMailDay(dueAt)}.`,
      "If you changed your mind, or if this wasn't you, keep the account with this link. It works once.",
    ],
    button: { label: 'Keep account', url },
    closing: "If you want it deleted, you don't have to do anything.",
  });
}
