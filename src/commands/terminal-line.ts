// A line on the terminal that is drawn again and again, such as a progress bar.
import type { CommandHost } from './host.ts';

/**
 * Draws a line over the one before it. A longer line than the terminal would continue in the next row, where nothing draws over it: of
 * the texts, longest first, the first one that fits is drawn, or the last one as far as it fits.
 */
export function drawLine(host: CommandHost, texts: readonly string[]): void {
  // In the last column, some terminals begin the next row already.
  const room = (host.stderrColumns ?? Number.POSITIVE_INFINITY) - 1;
  const text = texts.find(({ length }) => length <= room) ?? texts.at(-1)?.slice(0, Math.max(0, room)) ?? '';
  host.say(`\r${text}\u001b[K`);
}
