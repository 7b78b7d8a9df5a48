// taxiway organization: what the operator does to organizations.
import { Command } from 'commander';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import type { CommandHost } from './host.ts';
import { withApp } from './opening.ts';
import { refusing } from './refusing.ts';

interface DisableSsoOptions extends ConfigOptions {
  json?: boolean;
}

const EXAMPLE = `
Example:
  taxiway organization disable-sso 0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b
`;

export function buildOrganizationCommand(host: CommandHost): Command {
  const disableSso = addConfigOption(new Command('disable-sso'))
    .description(
      'Disables single sign-on and its requirement, so that members sign in by password again. The configuration stays.',
    )
    .argument('<id>', 'organization')
    .option('--json', 'print the configuration as JSON')
    .addHelpText('after', EXAMPLE)
    .action((id: string, options: DisableSsoOptions) => disable(host, id, options));
  return new Command('organization')
    .description("The operator's side of organizations, beside a running server or without one.")
    .addCommand(disableSso)
    .addHelpText('after', EXAMPLE);
}

async function disable(host: CommandHost, id: string, options: DisableSsoOptions): Promise<void> {
  const [{ disableSso }, { systemContext }] = await Promise.all([
    import('../sso/configuration.ts'),
    import('../platform/transact.ts'),
  ]);
  const configuration = await withApp(loadCommandConfig(host, options), ({ app }) =>
    refusing(
      () => disableSso(systemContext(app), id.toLowerCase()),
      'There is no organization of this id with single sign-on',
    ),
  );
  const text = `single sign-on of ${configuration.organization_id} is disabled\n`;
  host.print(options.json === true ? `${JSON.stringify(configuration, null, 2)}\n` : text);
}
