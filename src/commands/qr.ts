// QR codes in a terminal.
import { showsColors } from '../lib/terminal-colors.ts';
import { isLoopbackUrl } from '../lib/url-host.ts';
import type { CommandHost } from './host.ts';

/** Prints a URL as a QR code, in fixed colors on a terminal and as plain blocks elsewhere. Says if phones can't open it. */
export async function printQr(host: CommandHost, address: string): Promise<void> {
  const { default: qrcode } = await import('qrcode');
  const isColored = showsColors(host.isStdoutTerminal, host.env);
  const code = await qrcode.toString(
    address,
    isColored ? { type: 'terminal', small: true } : { type: 'utf8', margin: 2 },
  );
  host.print(code.endsWith('\n') ? code : `${code}\n`);
  if (URL.canParse(address) && isLoopbackUrl(address)) {
    host.say(
      "Phones can't open this link: set server.base_url in the server's config.toml to an address they can reach.\n",
    );
  }
}
