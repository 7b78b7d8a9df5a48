// Drops files onto a page as somebody's hand does.

import type { Page } from 'playwright-core';

/** Drops a file of this machine anywhere on the page. */
export async function dropFile(page: Page, ...paths: readonly string[]): Promise<void> {
  // A field for files takes them by their paths; the bytes in a script would take seconds.
  const field = page.locator('#files-to-drop');
  await page.evaluate(`document.documentElement.append(
    Object.assign(document.createElement('input'), { id: 'files-to-drop', type: 'file', multiple: true, hidden: true }))`);
  await field.setInputFiles([...paths]);
  await page.evaluate(`(() => {
    const field = document.getElementById('files-to-drop');
    const transfer = new DataTransfer();
    for (const file of field.files) transfer.items.add(file);
    field.remove();
    for (const kind of ['dragenter', 'dragover', 'drop']) {
      document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }
  })()`);
}
