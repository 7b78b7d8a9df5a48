// The texts of the pages on which testers unsubscribe from emails about a channel.
import type { Heading } from './install-texts.ts';

export interface MuteTexts {
  ask(channel: string, project: string): Heading;
  unsubscribe: string;
  muted(channel: string): Heading;
  /** For people without access. It doesn't name the channel. */
  lost: Heading;
  dead: Heading;
}
