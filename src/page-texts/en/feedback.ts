// English texts of the page on which testers send feedback.
import type { FeedbackTexts } from '../feedback-texts.ts';

export const feedback: FeedbackTexts = {
  language: 'en',
  direction: 'ltr',
  pageTitle: (name) => `Feedback on ${name}`,
  title: 'Send feedback',
  about: (version) => `About version ${version}.`,
  included: (hasAccount) =>
    hasAccount
      ? 'The team also sees your name, your email address, and the type and system version of your device.'
      : 'The team also sees the type and system version of your device.',
  text: 'What happened?',
  textHint: 'What you did, and what you expected instead.',
  pictures: 'Pictures (optional)',
  picturesHint: (most, maxSize) => `Up to ${most} PNG, JPEG or WebP images of up to ${maxSize} each.`,
  email: 'Email (optional)',
  emailHint: 'For a reply from the team.',
  send: 'Send',
  sent: { title: 'Thank you', text: 'The team can see your feedback now.' },
  back: 'Back to the app',
  another: 'Send more feedback',
  problems: {
    empty: 'Describe what happened.',
    too_long: (characters) => `The text can have at most ${characters} characters.`,
    too_many_pictures: (most, maxSize) => `Choose at most ${most} pictures of up to ${maxSize} each.`,
    email: 'This is not an email address.',
    picture: 'The pictures must be complete PNG, JPEG or WebP images with at most 4,096 pixels per side.',
    too_often: 'You have sent a lot within an hour. Try again later.',
    full: 'The team can’t take more feedback at the moment.',
  },
};
