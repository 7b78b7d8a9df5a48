// QR codes in a terminal.
import type { CommandHost } from './host.ts';

/** Prints a URL as a QR code: in fixed colors on a terminal, as plain blocks elsewhere. */
export async function printQr(host: CommandHost, address: string): Promise<void> {
  const { default: qrcode } = await import('qrcode');
  const isColoured = host.isStdoutTerminal && host.env.NO_COLOR === undefined;
  const code = await qrcode.toString(
    address,
    isColoured ? { type: 'terminal', small: true } : { type: 'utf8', margin: 2 },
  );
  host.print(code.endsWith('\n') ? code : `${code}\n`);
}
