// The script of the checkout page: it opens the payment with Paddle.js and shows how it ended.
import { createHash } from 'node:crypto';

const content = `
(function () {
  var checkout = document.getElementById('checkout');
  var status = document.getElementById('checkout-status');
  var again = document.getElementById('checkout-again');
  var back = document.getElementById('checkout-back');
  function show(state) {
    status.textContent = checkout.getAttribute('data-' + state);
    again.hidden = state !== 'closed';
    back.hidden = state === 'opening';
  }
  var isCompleted = false;
  function open() {
    show('opening');
    window.Paddle.Checkout.open({ transactionId: checkout.getAttribute('data-transaction') });
  }
  if (!window.Paddle) return show('failed');
  try {
    if (checkout.getAttribute('data-environment') === 'sandbox') window.Paddle.Environment.set('sandbox');
    window.Paddle.Initialize({
      token: checkout.getAttribute('data-token'),
      eventCallback: function (event) {
        if (event.name === 'checkout.completed') {
          isCompleted = true;
          show('completed');
        } else if (event.name === 'checkout.closed') {
          if (!isCompleted) show('closed');
        } else if (event.name === 'checkout.error') {
          show('failed');
        }
      }
    });
  } catch (error) {
    return show('failed');
  }
  // Paddle.js opens the transaction of the address automatically.
  again.addEventListener('click', open);
})();
`;

const name = `${createHash('sha256').update(content).digest('hex').slice(0, 16)}.js`;

/** Its name is a hash of its content, so it can be cached forever. */
export const checkoutScript = { name, path: `/billing/checkout/assets/${name}`, content };
