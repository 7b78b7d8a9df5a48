// taxiway flag: shows and sets feature flags, which the API can't change.
import { Command } from 'commander';
import type { Tx } from '../core/context.ts';
import type { FlagKey, FlagState } from '../flags/service.ts';
import { Refusal, UsageError } from '../lib/failure.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import type { CommandHost } from './host.ts';
import { withApp } from './open-app.ts';
import { UNKNOWN_ORGANIZATION, withRefusals } from './service-errors.ts';
import { formatTable } from './table.ts';

interface FlagOptions extends ConfigOptions {
  json?: boolean;
  organization?: string;
}

type Flags = typeof import('../flags/service.ts');

const EXAMPLES = `
Examples:
  taxiway flag list
  taxiway flag set new_org_signups_enabled off
  taxiway flag set beta_dashboard on --organization 0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b
  taxiway flag archive beta_dashboard
`;

export function buildFlagCommand(host: CommandHost): Command {
  const withJson = (command: Command) =>
    addConfigOption(command).option('--json', 'print all flags as JSON').addHelpText('after', EXAMPLES);
  const list = withJson(new Command('list'))
    .description('Lists the flags with their global values and the overrides of organizations.')
    .action((options: FlagOptions) => change(host, options, () => undefined));
  const set = withJson(new Command('set'))
    .description('Sets a flag globally or for one organization.')
    .argument('<flag>', 'name of the flag')
    .argument('<value>', 'on or off')
    .option('--organization <id>', 'set it for this organization only')
    .action((name: string, value: string, options: FlagOptions) => setFlag(host, name, value, options));
  const archive = withJson(new Command('archive'))
    .description('Archives a flag. It then reads as off in all organizations.')
    .argument('<flag>', 'name of the flag')
    .action((name: string, options: FlagOptions) => archiveFlag(host, name, true, options));
  const restore = withJson(new Command('restore'))
    .description('Restores an archived flag with its previous values.')
    .argument('<flag>', 'name of the flag')
    .action((name: string, options: FlagOptions) => archiveFlag(host, name, false, options));
  const flag = new Command('flag').description('Shows and sets feature flags. Works with or without a running server.');
  for (const command of [list, set, archive, restore]) flag.addCommand(command);
  return flag.addHelpText('after', EXAMPLES);
}

async function setFlag(host: CommandHost, name: string, value: string, options: FlagOptions): Promise<void> {
  if (value !== 'on' && value !== 'off') throw new UsageError(`the value must be "on" or "off", not "${value}"`);
  const organizationId = options.organization?.toLowerCase() ?? null;
  await change(host, options, (flags, tx) => {
    if (organizationId !== null) requireOrganization(tx, organizationId);
    flags.setFlag(tx, keyOf(flags, name), organizationId, value === 'on');
  });
}

async function archiveFlag(host: CommandHost, name: string, isArchived: boolean, options: FlagOptions): Promise<void> {
  await change(host, options, (flags, tx) => flags.archiveFlag(tx, keyOf(flags, name), isArchived));
}

function keyOf(flags: Flags, name: string): FlagKey {
  if (flags.isFlagKey(name)) return name;
  throw new UsageError(`there is no flag "${name}"; see "taxiway flag list"`);
}

function requireOrganization({ db }: Tx, id: string): void {
  const found = db.$client.prepare('SELECT 1 FROM organizations WHERE id = ?').get(id);
  if (found === undefined) throw new Refusal(UNKNOWN_ORGANIZATION);
}

/** Makes a change in one transaction, then prints the current flags. */
async function change(host: CommandHost, options: FlagOptions, work: (flags: Flags, tx: Tx) => void): Promise<void> {
  const [flags, { systemContext }] = await Promise.all([import('../flags/service.ts'), import('../core/transact.ts')]);
  const states = await withApp(loadCommandConfig(host, options), ({ app }) =>
    withRefusals(() => {
      systemContext(app).transact((tx) => work(flags, tx));
      return flags.describeFlags(app);
    }),
  );
  host.print(
    options.json === true ? `${JSON.stringify(states.map(toJson), null, 2)}\n` : formatTable(states.flatMap(toRows)),
  );
}

function toJson({ key, default: byDefault, enabled, isArchived, organizations }: FlagState) {
  return {
    key,
    default: byDefault,
    enabled,
    archived: isArchived,
    organizations: organizations.map((one) => ({ organization_id: one.organizationId, enabled: one.enabled })),
  };
}

function toRows({ key, default: byDefault, enabled, isArchived, organizations }: FlagState): string[][] {
  const word = (value: boolean) => (value ? 'on' : 'off');
  const state = enabled === null ? `${word(byDefault)} (default)` : word(enabled);
  return [
    [key, isArchived ? `archived (${state})` : state],
    ...organizations.map((one) => [`  ${one.organizationId}`, word(one.enabled)]),
  ];
}
