// taxiway developer: lets the operator create, list and manage accounts.
import { Command } from 'commander';
import type { CreatedDeveloper, NewDeveloper } from '../accounts/service.ts';
import type { App } from '../core/context.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import { buildSupportCommands } from './developer-support.ts';
import { type CommandHost, plainText } from './host.ts';
import { withApp } from './open-app.ts';
import { ask, readPassword } from './prompt.ts';
import { withAsyncRefusals } from './service-errors.ts';
import { formatTable } from './table.ts';

interface CreateOptions extends ConfigOptions {
  email: string;
  passwordStdin?: boolean;
  verified?: boolean;
  operator?: boolean;
  organization?: string;
  displayName?: string;
  json?: boolean;
}

interface ListOptions extends ConfigOptions {
  json?: boolean;
}

const EXAMPLES = `
Examples:
  taxiway developer list
  taxiway developer create --email dana@example.com --password-stdin --verified --organization Northwind < password.txt
  taxiway developer reset-password dana@example.com
`;

const CREATE_EXAMPLE = `
Example:
  taxiway developer create --email dana@example.com --password-stdin --verified --organization Northwind < password.txt
`;

const LIST_EXAMPLE = `
Example:
  taxiway developer list --json
`;

export function buildDeveloperCommand(host: CommandHost): Command {
  const create = addConfigOption(new Command('create'))
    .description('Creates an account.')
    .requiredOption('--email <address>', 'email address to sign in with')
    .option('--password-stdin', 'read the password from stdin (default: prompts)')
    .option('--verified', 'mark the email address as verified; without it, the account is read-only until it is')
    .option('--operator', 'create an operator account')
    .option('--organization <name>', 'create an organization with this name and make the account its admin')
    .option('--display-name <name>', 'name that others see (default: the address before the @)')
    .option('--json', 'print the ids as JSON')
    .addHelpText('after', CREATE_EXAMPLE)
    .action((options: CreateOptions) => createAccount(host, options));
  const list = addConfigOption(new Command('list'))
    .description('Lists the accounts, oldest first.')
    .option('--json', 'print them as a JSON array')
    .addHelpText('after', LIST_EXAMPLE)
    .action((options: ListOptions) => listAccounts(host, options));
  const developer = new Command('developer')
    .description('Creates, lists and manages accounts. Works with or without a running server.')
    .addCommand(create)
    .addCommand(list)
    .addHelpText('after', EXAMPLES);
  for (const command of buildSupportCommands(host)) developer.addCommand(command);
  return developer;
}

async function createAccount(host: CommandHost, options: CreateOptions): Promise<void> {
  const config = loadCommandConfig(host, options);
  const hidden = { isHidden: true, otherwise: 'pass the password with --password-stdin' };
  const password = options.passwordStdin === true ? await readPassword(host) : await ask(host, 'Password: ', hidden);
  const wanted = {
    email: options.email,
    password,
    isVerified: options.verified === true,
    isOperator: options.operator === true,
    ...(options.displayName === undefined ? {} : { displayName: options.displayName }),
    ...(options.organization === undefined ? {} : { organizationName: options.organization }),
  };
  const created = await withApp(config, ({ app }) => create(app, wanted), { mayCreate: true });
  if (!wanted.isVerified) {
    const place = options.config === undefined ? '' : ` --config ${options.config}`;
    const next = `taxiway developer verify ${plainText(options.email)}${place}`;
    host.say(`The email address isn't verified, so the account is read-only. Verify it with "${next}".\n`);
  }
  if (options.json === true) {
    const ids = { developer_id: created.developerId, organization_id: created.organizationId };
    host.print(`${JSON.stringify(ids, null, 2)}\n`);
    return;
  }
  host.print(`developer     ${created.developerId}\n`);
  if (created.organizationId !== null) host.print(`organization  ${created.organizationId}\n`);
}

async function create(app: App, wanted: NewDeveloper): Promise<CreatedDeveloper> {
  const [{ createDeveloper }, { systemContext }] = await Promise.all([
    import('../accounts/service.ts'),
    import('../core/transact.ts'),
  ]);
  return withAsyncRefusals(() => createDeveloper(systemContext(app), wanted));
}

async function listAccounts(host: CommandHost, options: ListOptions): Promise<void> {
  const { listDevelopers } = await import('../accounts/service.ts');
  const developers = await withApp(loadCommandConfig(host, options), ({ app }) => listDevelopers(app));
  if (options.json === true) {
    host.print(`${JSON.stringify(developers, null, 2)}\n`);
    return;
  }
  if (developers.length === 0) host.say('No accounts.\n');
  const rows = developers.map((one) => [
    one.identifier,
    plainText(one.email),
    plainText(one.display_name),
    [
      one.email_verified ? 'verified' : 'unverified',
      ...(one.is_operator ? ['operator'] : []),
      ...(one.deletion_pending ? ['deletion requested'] : []),
    ].join(', '),
  ]);
  host.print(formatTable(rows));
}
