// Browsers take the focus from a button that is disabled, as all buttons are while their action is sent.

/** Returns the focus to what had it before it was disabled, unless the user moved on. */
export function returnFocusToButtons(): void {
  let last: EventTarget | null = null;
  addEventListener('focusin', ({ target }) => {
    last = target;
  });
  const observer = new MutationObserver((changes) => {
    const isBack = changes.some(({ target }) => target === last);
    if (isBack && document.activeElement === document.body) (last as HTMLElement).focus({ preventScroll: true });
  });
  observer.observe(document, { subtree: true, attributeFilter: ['disabled'] });
}
