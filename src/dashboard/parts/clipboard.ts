// Copies text, also where the page is no secure context and the browser offers no clipboard.

/** Copies a text; false when the browser does not let us. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Refused by the browser's settings: the old way may still work.
    }
  }
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'tw-offscreen';
  // Inside an open dialog, or its focus trap takes the focus back.
  const host = document.activeElement?.closest('[role="dialog"]') ?? document.body;
  const before = document.activeElement;
  host.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
