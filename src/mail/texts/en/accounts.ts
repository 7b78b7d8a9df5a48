// English texts of emails about accounts: their address, password, export and deletion.
import { CHANGE_LINK_MS, englishLifetime, RESET_LINK_MS, VERIFY_LINK_MS } from '../../../lib/lifetimes.ts';
import { formatMailDay } from '../../dates.ts';
import type { AccountMails } from '../texts.ts';

export const accounts: AccountMails = {
  verifyEmail: {
    subject: 'Confirm your email address',
    paragraphs: [
      'A Taxiway account was created with this email address.',
      `If that was you, confirm the address. The link works once and expires in ${englishLifetime(VERIFY_LINK_MS)}.`,
    ],
    button: 'Confirm email address',
    closing: "If this wasn't you, ignore this email. Until the address is confirmed, the account has read-only access.",
  },
  accountExists: (baseUrl) => ({
    subject: 'You already have an account',
    paragraphs: [
      `Someone tried to create an account at ${baseUrl} with this email address, but it already has one. Nothing was changed.`,
      "If that was you, sign in, or reset your password if you've forgotten it.",
    ],
    button: 'Sign in',
    closing: "If this wasn't you, you don't have to do anything.",
  }),
  passwordReset: {
    subject: 'Reset your password',
    paragraphs: [
      'Someone requested a password reset for your Taxiway account.',
      `If that was you, set a new password with this link. It works once and expires in ${englishLifetime(RESET_LINK_MS)}. Setting a new password signs you out on all devices.`,
    ],
    button: 'Reset password',
    closing: "If this wasn't you, ignore this email. Your password stays the same.",
  },
  passwordChanged: (baseUrl) => ({
    subject: 'Your password was changed',
    paragraphs: [`The password of your account at ${baseUrl} was changed, and all other sessions were signed out.`],
    closing: `If this wasn't you, reset your password immediately at ${baseUrl}/reset and review your sessions.`,
  }),
  changeEmail: {
    subject: 'Confirm your new email address',
    paragraphs: [
      'Someone wants to use this email address for a Taxiway account.',
      `If that was you, confirm it. The link works once and expires in ${englishLifetime(CHANGE_LINK_MS)}. Until you confirm, the account keeps its old address.`,
    ],
    button: 'Confirm email address',
    closing: "If this wasn't you, ignore this email.",
  },
  emailChanged: (baseUrl) => ({
    subject: 'Your email address was changed',
    paragraphs: [
      `The email address of your account at ${baseUrl} was changed. You can no longer sign in with this address.`,
    ],
    closing: "If this wasn't you, contact the operator of the server immediately.",
  }),
  exportReady: (baseUrl, expiresAt) => ({
    subject: 'Your data export is ready',
    paragraphs: [
      `The export of your personal data from ${baseUrl} is ready.`,
      `Sign in and download it by ${formatMailDay(expiresAt)}.`,
    ],
    button: 'Open your account',
    closing: "If you didn't request it, change your password and review your sessions.",
  }),
  deletionRequested: (dueAt) => ({
    subject: 'Your account will be deleted',
    paragraphs: [
      `Your Taxiway account is locked and will be deleted on ${formatMailDay(dueAt)}.`,
      "If you changed your mind, or if this wasn't you, keep the account with this link. It works once.",
    ],
    button: 'Keep account',
    closing: "If you want it deleted, you don't have to do anything.",
  }),
};
