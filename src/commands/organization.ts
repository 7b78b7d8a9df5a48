// taxiway organization: lets the operator manage organizations.
import { Command } from 'commander';
import { countOf } from '../lib/count.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import { type CommandHost, plainText } from './host.ts';
import { withApp } from './open-app.ts';
import { buildBillingCommands } from './organization-billing.ts';
import { withRefusals } from './service-errors.ts';
import { formatTable } from './table.ts';

interface OrganizationOptions extends ConfigOptions {
  json?: boolean;
}

const EXAMPLES = `
Examples:
  taxiway organization list
  taxiway organization credit 0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b --cents 5000
  taxiway organization disable-sso 0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b
`;

export function buildOrganizationCommand(host: CommandHost): Command {
  const list = addConfigOption(new Command('list'))
    .description('Lists the organizations, oldest first.')
    .option('--json', 'print them as a JSON array')
    .addHelpText('after', EXAMPLES)
    .action((options: OrganizationOptions) => listAll(host, options));
  const disableSso = addConfigOption(new Command('disable-sso'))
    .description(
      'Turns off single sign-on and its requirement, so that members sign in with a password. The configuration stays.',
    )
    .argument('<id>', 'organization')
    .option('--json', 'print the configuration as JSON')
    .addHelpText('after', EXAMPLES)
    .action((id: string, options: OrganizationOptions) => disable(host, id, options));
  const organization = new Command('organization')
    .description('Manages organizations. Works with or without a running server.')
    .addCommand(list)
    .addCommand(disableSso)
    .addHelpText('after', EXAMPLES);
  for (const command of buildBillingCommands(host)) organization.addCommand(command);
  return organization;
}

async function listAll(host: CommandHost, options: OrganizationOptions): Promise<void> {
  const [{ listOrganizations }, { readBalance }] = await Promise.all([
    import('../organizations/overview.ts'),
    import('../billing/service.ts'),
  ]);
  const config = loadCommandConfig(host, options);
  const rows = await withApp(config, ({ app }) =>
    listOrganizations(app).map((row) => ({
      ...row,
      ...(config.billing.enabled ? { balance_cents: readBalance(app, row.identifier) } : {}),
    })),
  );
  if (options.json === true) {
    host.print(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  if (rows.length === 0) host.say('No organizations.\n');
  const cells = rows.map((row) => [
    row.identifier,
    plainText(row.name),
    row.tier,
    countOf(row.members, 'member'),
    countOf(row.projects, 'project'),
    countOf(row.builds, 'build'),
    ...(row.balance_cents === undefined ? [] : [countOf(row.balance_cents, 'cent')]),
    row.lock_reason ?? '',
  ]);
  host.print(formatTable(cells));
}

async function disable(host: CommandHost, id: string, options: OrganizationOptions): Promise<void> {
  const [{ disableSso }, { systemContext }] = await Promise.all([
    import('../sso/configuration.ts'),
    import('../core/transact.ts'),
  ]);
  const configuration = await withApp(loadCommandConfig(host, options), ({ app }) =>
    withRefusals(
      () => disableSso(systemContext(app), id.toLowerCase()),
      'There is no organization with this ID, or it has no single sign-on',
    ),
  );
  const text = `single sign-on of ${configuration.organization_id} is disabled\n`;
  host.print(options.json === true ? `${JSON.stringify(configuration, null, 2)}\n` : text);
}
