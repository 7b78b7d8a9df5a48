// Texts of the page of a join link.
import type { JoinTexts } from '../join-texts.ts';

export const join: JoinTexts = {
  invitation: (project, organization, channel) => ({
    title: `Test ${project}`,
    text: `${organization} invites you to install and test this app. You’ll get the builds of the channel ${channel}.`,
  }),
  signIn: 'Sign in to join.',
  signInOrUp: 'Sign in or create an account to join.',
  createAccount: 'Create account',
  whoSees: (email) => `You’re signed in as ${email}. The team will see your name and email address.`,
  join: 'Join',
  dead: {
    title: 'This link no longer works',
    text: 'It has expired, was revoked, was used by as many people as it was meant for, or is incomplete. Ask the team for a new one.',
  },
  wrongDomain: (email, domain) => ({
    title: 'Use another email address',
    text: `This link only works for addresses at ${domain}. You’re signed in as ${email}.`,
  }),
  removed: (email) => ({
    title: 'You can’t join with this link',
    text: `The team removed the access of ${email} after it created this link. Ask the team for a new one.`,
  }),
  locked: {
    title: 'You can’t join right now',
    text: 'The organization currently can’t add testers. Keep the link and try again later.',
  },
};
