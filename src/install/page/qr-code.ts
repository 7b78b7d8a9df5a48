// QR codes as inline SVG, drawn on the server.
import { type Html, html } from '../../lib/html.ts';

const quietZone = 4;

/** Draws `text` (up to about 2,000 bytes) as a QR code with dark modules on white, readable in both color schemes. */
export async function drawQrCode(text: string): Promise<Html> {
  const { default: QrCode } = await import('qrcode');
  const { modules } = QrCode.create(text, { errorCorrectionLevel: 'M' });
  const side = modules.size + 2 * quietZone;
  let strokes = '';
  for (let row = 0; row < modules.size; row += 1) {
    let end = 0;
    for (let column = 0; column < modules.size; column += 1) {
      if (modules.get(row, column) === 0) continue;
      const start = column;
      while (column + 1 < modules.size && modules.get(row, column + 1) !== 0) column += 1;
      strokes += end === 0 ? `M${start + quietZone} ${row + quietZone + 0.5}` : `m${start - end} 0`;
      strokes += `h${column - start + 1}`;
      end = column + 1;
    }
  }
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges" aria-hidden="true" focusable="false"><path fill="#fff" d="M0 0h${side}v${side}H0z"/><path stroke="#000" d="${strokes}"/></svg>`;
}
