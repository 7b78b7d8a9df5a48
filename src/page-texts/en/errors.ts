// English texts of error pages.
import type { ErrorTexts } from '../error-texts.ts';

export const errors: ErrorTexts = {
  statuses: {
    401: { title: 'Sign in to continue', text: 'This page is only available when you are signed in.' },
    402: { title: 'Currently not available', text: 'Contact the person who sent you the link.' },
    403: { title: 'No access', text: 'The link may have expired. Ask the person who sent it for a new one.' },
    404: {
      title: 'Page not found',
      text: 'The address may be wrong, or the page was removed. If you followed a link, it may have expired. Ask the person who sent it for a new one.',
    },
    405: { title: 'This address can’t be opened', text: 'It is for programs only.' },
    413: { title: 'Too large', text: 'The request is larger than the server accepts.' },
    429: { title: 'Too many requests', text: 'You or others in your network sent too many requests.' },
    503: { title: 'Service unavailable', text: 'Try again in a few minutes.' },
  },
  broken: {
    title: 'Server error',
    text: 'Try again in a few minutes. If the error persists, send the request ID to the operator of the server.',
  },
  refused: { title: 'Request failed', text: 'The server couldn’t process this request.' },
  wait: (when) => `Try again ${when}.`,
  tryAgain: 'Try again',
  requestId: 'Request ID',
  home: 'Home',
  signIn: 'Sign in',
};
