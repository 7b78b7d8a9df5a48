// Escape closes one dialog at a time. The library's dialogs listen for it on the window, so one below would close as well, with its input.

const OPEN = '[role="dialog"][aria-modal="true"]';

/** Closes the dialog on top, which has the focus, if several are open. For use before any of them listens. */
export function listenForEscape(): void {
  addEventListener(
    'keydown',
    (event) => {
      const open = document.querySelectorAll(OPEN);
      if (event.key !== 'Escape' || event.isComposing || open.length < 2) return;
      event.stopImmediatePropagation();
      const top = document.activeElement?.closest(OPEN) ?? open[open.length - 1];
      // A click outside closes the dialogs that Escape closes.
      const outside = top?.closest('[class*="-inner"]')?.previousElementSibling;
      if (outside instanceof HTMLElement) outside.click();
    },
    { capture: true },
  );
}
