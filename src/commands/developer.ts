// taxiway developer: the operator creates and lists accounts.
import { Command } from 'commander';
import type { CreatedDeveloper, NewDeveloper } from '../accounts/service.ts';
import type { App } from '../platform/context.ts';
import { AppError } from '../platform/errors.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import { Refusal } from './failure.ts';
import { type CommandHost, plainText } from './host.ts';
import { withApp } from './opening.ts';
import { ask, readPassword } from './prompt.ts';
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
    .requiredOption('--email <address>', 'address that it signs in with')
    .option('--password-stdin', 'read the password from stdin (else it is asked for)')
    .option('--verified', 'the address is known to be right')
    .option('--operator', 'may do what is for the operator of this installation')
    .option('--organization <name>', 'make an organization of this name that it administers')
    .option('--display-name <name>', 'name that others see (default: the address before the @)')
    .option('--json', 'print the ids as JSON')
    .addHelpText('after', CREATE_EXAMPLE)
    .action((options: CreateOptions) => createAccount(host, options));
  const list = addConfigOption(new Command('list'))
    .description('Lists the accounts, oldest first.')
    .option('--json', 'print them as a JSON array')
    .addHelpText('after', LIST_EXAMPLE)
    .action((options: ListOptions) => listAccounts(host, options));
  return new Command('developer')
    .description('Creates and lists accounts, beside a running server or without one.')
    .addCommand(create)
    .addCommand(list)
    .addHelpText('after', EXAMPLES);
}

async function createAccount(host: CommandHost, options: CreateOptions): Promise<void> {
  const config = loadCommandConfig(host, options);
  const hidden = { isHidden: true, otherwise: 'give the password with --password-stdin' };
  const password = options.passwordStdin === true ? await readPassword(host) : await ask(host, 'Password: ', hidden);
  const wanted = {
    email: options.email,
    password,
    isVerified: options.verified === true,
    isOperator: options.operator === true,
    ...(options.displayName === undefined ? {} : { displayName: options.displayName }),
    ...(options.organization === undefined ? {} : { organizationName: options.organization }),
  };
  const created = await withApp(config, ({ app }) => create(app, wanted));
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
    import('../platform/transact.ts'),
  ]);
  try {
    return await createDeveloper(systemContext(app), wanted);
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    throw new Refusal([`${error.message} (${error.code})`, ...listFields(error)].join('\n'));
  }
}

/** The fields of a validation error, each with what is wrong, without the place that only HTTP knows. */
function listFields({ code, details }: AppError): string[] {
  if (code !== 'validation_error' || !Array.isArray(details.errors)) return [];
  return details.errors.map(
    (entry: { loc: unknown[]; msg: string }) => `  ${entry.loc.slice(1).join('.')}: ${entry.msg}`,
  );
}

async function listAccounts(host: CommandHost, options: ListOptions): Promise<void> {
  const { listDevelopers } = await import('../accounts/service.ts');
  const developers = await withApp(loadCommandConfig(host, options), ({ app }) => listDevelopers(app));
  if (options.json === true) {
    host.print(`${JSON.stringify(developers, null, 2)}\n`);
    return;
  }
  const rows = developers.map((one) => [
    one.identifier,
    plainText(one.email),
    plainText(one.display_name),
    [one.email_verified ? 'verified' : 'unverified', ...(one.is_operator ? ['operator'] : [])].join(', '),
  ]);
  host.print(formatTable(rows));
}
