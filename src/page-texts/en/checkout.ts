// English texts of the page on which people pay.
import type { CheckoutTexts } from '../checkout-texts.ts';

export const checkout: CheckoutTexts = {
  title: 'Payment',
  opening: 'The payment opens in a moment.',
  closed: 'The payment was closed. Nothing was charged.',
  completed: 'Payment received. It appears in Billing within a minute.',
  failed: 'The payment couldn’t be opened. Check the connection, and turn off content blockers for this page.',
  noScript: 'Payments need JavaScript.',
  again: 'Open the payment',
  back: 'Back to Billing',
  notSetUp: {
    title: 'Payments aren’t set up',
    text: 'The operator of this server must configure the payment page first.',
  },
  invalid: { title: 'This payment link is incomplete', text: 'Start the payment again in Billing.' },
};
