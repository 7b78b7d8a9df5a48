// English texts of the pages on which testers unsubscribe.
import type { MuteTexts } from '../mute-texts.ts';

export const mute: MuteTexts = {
  ask: (channel, project) => ({
    title: 'Unsubscribe?',
    text: `You get an email about each new release on the channel ${channel} of ${project}.`,
  }),
  unsubscribe: 'Unsubscribe',
  muted: (channel) => ({
    title: 'Unsubscribed',
    text: `You won’t get emails about the channel ${channel} anymore. You can still install its releases, and subscribe again after signing in.`,
  }),
  lost: {
    title: 'Unsubscribed',
    text: 'You won’t get these emails anymore, because you are no longer a tester of this app.',
  },
  dead: { title: 'This link doesn’t work', text: 'It is incomplete, or the channel was deleted.' },
};
