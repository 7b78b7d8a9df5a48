// The texts of the page on which testers send feedback.
import type { Heading } from './install-texts.ts';

/** `name` and `version` are untrusted text of limited length. They are escaped when rendered. */
export interface FeedbackTexts {
  language: string;
  direction: 'ltr' | 'rtl';
  pageTitle: (name: string) => string;
  title: string;
  /** What it's about; without a version if nothing is released. */
  about: (version: string) => string;
  /** What the team sees besides the text. `hasAccount`: the visitor is signed in. */
  included: (hasAccount: boolean) => string;
  text: string;
  textHint: string;
  pictures: string;
  picturesHint: (most: number, maxSize: string) => string;
  email: string;
  emailHint: string;
  send: string;
  sent: Heading;
  back: string;
  another: string;
  /** Why it wasn't sent. Numbers are formatted. */
  problems: Record<'empty' | 'email' | 'picture' | 'too_often' | 'full', string> & {
    too_long: (characters: string) => string;
    too_many_pictures: (most: number, maxSize: string) => string;
  };
}
