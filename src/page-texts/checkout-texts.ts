// The texts of the page on which people pay.
import type { Heading } from './install-texts.ts';

export interface CheckoutTexts {
  title: string;
  opening: string;
  closed: string;
  completed: string;
  failed: string;
  noScript: string;
  again: string;
  back: string;
  notSetUp: Heading;
  invalid: Heading;
}
