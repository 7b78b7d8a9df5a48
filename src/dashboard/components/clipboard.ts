// Copies text, also in insecure contexts, where browsers offer no clipboard.

/** Copies a text. Returns false if the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // The browser's settings may refuse this and still allow execCommand.
    }
  }
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'tw-offscreen';
  // Inside an open dialog, because its focus trap would move the focus back.
  const host = document.activeElement?.closest('[role="dialog"]') ?? document.body;
  const before = document.activeElement;
  host.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
