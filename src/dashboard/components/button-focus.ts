// Browsers take the focus from a button that is disabled, as all buttons are while their action is sent.
import { focusIfLost } from '../shell/heading-focus.ts';

/**
 * Returns the focus to what had it before it was disabled, unless the user moved on. If the action removed it, such as with its row, the
 * focus moves to the next row, or to the heading.
 */
export function returnFocusToButtons(): void {
  let last: EventTarget | null = null;
  let findNext: () => HTMLElement | undefined = () => undefined;
  const removals = new MutationObserver(() => {
    if (!(last instanceof HTMLElement) || last.isConnected) return;
    removals.disconnect();
    focusIfLost(findNext);
  });
  addEventListener('focusin', ({ target }) => {
    if (target !== last) removals.disconnect();
    last = target;
  });
  const observer = new MutationObserver((changes) => {
    const isChanged = changes.some(({ target }) => target === last);
    if (!isChanged || !(last instanceof HTMLElement)) return;
    if (!last.matches(':disabled')) {
      if (document.activeElement === document.body) last.focus({ preventScroll: true });
    } else if (last.closest('[role="dialog"]') === null) {
      // Dialogs return the focus to what opened them.
      findNext = nextTo(last);
      removals.observe(document.body, { childList: true, subtree: true });
    }
  });
  observer.observe(document, { subtree: true, attributeFilter: ['disabled'] });
}

/**
 * Returns a function that finds the row after that of a button, or the one before it. Not its button, which a key that is held down would
 * press, too.
 */
function nextTo(button: HTMLElement): () => HTMLElement | undefined {
  const row = button.closest('li, tr');
  const neighbors = [row?.nextElementSibling, row?.previousElementSibling];
  return () => {
    const next = neighbors.find((one) => one instanceof HTMLElement && one.isConnected);
    if (!(next instanceof HTMLElement)) return undefined;
    next.tabIndex = -1;
    return next;
  };
}
