// The texts of the page of a join link.
import type { Heading } from './install-texts.ts';

export interface JoinTexts {
  invitation(project: string, organization: string, channel: string): Heading;
  signIn: string;
  signInOrUp: string;
  createAccount: string;
  /** Who learns the address of the visitor. */
  whoSees(email: string): string;
  join: string;
  dead: Heading;
  wrongDomain(email: string, domain: string): Heading;
  removed(email: string): Heading;
  locked: Heading;
}
