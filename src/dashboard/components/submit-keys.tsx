// Cmd+Enter or Ctrl+Enter sends the form that has the focus, in pages and in dialogs.
import { Kbd } from '@mantine/core';

const isApple = /Mac|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? '');

/** The keys as `aria-keyshortcuts` names them. */
export const SUBMIT_KEYS = isApple ? 'Meta+Enter' : 'Control+Enter';

/** Presses the button of a form from any of its fields, and that of a dialog from anywhere in it. */
export function listenForSubmitKeys(): void {
  addEventListener('keydown', (event) => {
    const isAsked = event.key === 'Enter' && (event.metaKey || event.ctrlKey) && !event.isComposing;
    if (!isAsked || event.defaultPrevented || event.repeat || !(event.target instanceof Element)) return;
    const scope = event.target.closest('form') ?? event.target.closest('[role="dialog"]');
    const button = scope?.querySelector<HTMLButtonElement>('button[type="submit"]');
    if (button == null) return;
    event.preventDefault();
    if (!button.disabled) button.click();
  });
}

/** The keys inside of the button. Screen readers read `SUBMIT_KEYS` instead. */
export function SubmitKeys() {
  return (
    <Kbd className="tw-submit-keys" aria-hidden>
      {isApple ? '\u2318\u23ce' : 'Ctrl \u23ce'}
    </Kbd>
  );
}
