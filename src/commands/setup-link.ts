// taxiway setup-link: prints a new setup link, with or without a running server.
import { Command } from 'commander';
import { englishLifetime, SETUP_LINK_LIFETIME_MS } from '../lib/lifetimes.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import type { CommandHost } from './host.ts';
import { withApp } from './open-app.ts';
import { printQr } from './qr.ts';
import { withRefusals } from './service-errors.ts';

interface SetupLinkOptions extends ConfigOptions {
  json?: boolean;
}

const EXAMPLES = `
Examples:
  taxiway setup-link
  taxiway setup-link --json
`;

export function buildSetupLinkCommand(host: CommandHost): Command {
  return addConfigOption(new Command('setup-link'))
    .description(
      'Prints a link to create the first admin account. Works with or without a running server. Earlier links stop working.',
    )
    .option('--json', 'print the link as JSON')
    .addHelpText('after', EXAMPLES)
    .action((options: SetupLinkOptions) => setupLink(host, options));
}

async function setupLink(host: CommandHost, options: SetupLinkOptions): Promise<void> {
  const { createSetupLink } = await import('../accounts/setup.ts');
  const link = await withApp(loadCommandConfig(host, options), ({ app }) => withRefusals(() => createSetupLink(app)));
  if (options.json === true) host.print(`${JSON.stringify({ setup_url: link }, null, 2)}\n`);
  else await printSetupLink(host, link);
}

/** Prints a setup link with its QR code. */
export async function printSetupLink(host: CommandHost, link: string): Promise<void> {
  host.print(
    `\nThis server isn't set up yet. Create the first admin account within ${englishLifetime(SETUP_LINK_LIFETIME_MS)}:\n\n${link}\n\n`,
  );
  await printQr(host, link);
}
