// Drops files onto a page as somebody's hand does.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Page } from 'playwright-core';

/** Drops a file of this machine anywhere on the page. */
export async function dropFile(page: Page, ...paths: readonly string[]): Promise<void> {
  const files = paths.map((path) => ({ name: basename(path), content: readFileSync(path).toString('base64') }));
  // Bytes travel as text, because a page cannot read files of this machine.
  await page.evaluate(
    `((files) => {
      const transfer = new DataTransfer();
      for (const { name, content } of files) {
        transfer.items.add(new File([Uint8Array.from(atob(content), (one) => one.charCodeAt(0))], name));
      }
      for (const kind of ['dragenter', 'dragover', 'drop']) {
        document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
      }
    })(${JSON.stringify(files)})`,
  );
}
