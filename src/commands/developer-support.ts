// taxiway developer verify, reset-password, disable-mfa, sign-out: lets the operator help people who are locked out.
import { Command } from 'commander';
import type { AccountChange } from '../accounts/operator-support.ts';
import type { Context } from '../core/context.ts';
import { countOf } from '../lib/count.ts';
import { englishLifetime, RESET_LINK_MS } from '../lib/lifetimes.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import { type CommandHost, plainText } from './host.ts';
import { withApp } from './open-app.ts';
import { readPassword } from './prompt.ts';
import { withAsyncRefusals } from './service-errors.ts';

interface SupportOptions extends ConfigOptions {
  json?: boolean;
}

interface ResetOptions extends SupportOptions {
  passwordStdin?: boolean;
}

type Support = typeof import('../accounts/operator-support.ts');

const MISSING = 'There is no account with this email address';

/** Returns the subcommands that take the email address of an account. */
export function buildSupportCommands(host: CommandHost): Command[] {
  return [
    buildSupportCommand(host, {
      name: 'verify',
      description: 'Marks the email address of an account as verified.',
      run: ({ verifyAccount }, ctx, email) => verifyAccount(ctx, email),
      describe: ({ changed, password_ended: isEnded, email }) =>
        isEnded === true
          ? `is verified. It was signed up more than once, so it has no password. Run taxiway developer reset-password ${plainText(email)}`
          : changed
            ? 'is verified'
            : 'was already verified',
    }),
    buildReset(host),
    buildSupportCommand(host, {
      name: 'disable-mfa',
      description:
        'Removes all two-factor authentication methods of an account: authenticator app, recovery codes and passkeys.',
      run: ({ disableFactors }, ctx, email) => disableFactors(ctx, email),
      describe: ({ changed }) =>
        changed ? 'no longer uses two-factor authentication' : "didn't use two-factor authentication",
    }),
    buildSupportCommand(host, {
      name: 'sign-out',
      description: 'Ends all sessions of an account, including their access tokens.',
      run: ({ signOutEverywhere }, ctx, email) => signOutEverywhere(ctx, email),
      describe: ({ sessions }) => `is signed out of ${countOf(sessions, 'session')}`,
    }),
  ];
}

interface SupportCommand<Result extends AccountChange> {
  name: string;
  description: string;
  run(support: Support, ctx: Context, email: string): Result;
  describe(result: Result): string;
}

function buildSupportCommand<Result extends AccountChange>(
  host: CommandHost,
  command: SupportCommand<Result>,
): Command {
  return addConfigOption(new Command(command.name))
    .description(command.description)
    .argument('<email>', 'email address of the account')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', `\nExample:\n  taxiway developer ${command.name} dana@example.com\n`)
    .action(async (email: string, options: SupportOptions) => {
      const result = await runSupport(host, options, async (support, ctx) => command.run(support, ctx, email));
      const text = `${plainText(result.email)} ${command.describe(result)}\n`;
      host.print(options.json === true ? `${JSON.stringify(result, null, 2)}\n` : text);
    });
}

const RESET_EXAMPLES = `
Examples:
  taxiway developer reset-password dana@example.com
  taxiway developer reset-password dana@example.com --password-stdin < password.txt
`;

function buildReset(host: CommandHost): Command {
  return addConfigOption(new Command('reset-password'))
    .description(
      `Prints a link to set a new password. It works once and expires in ${englishLifetime(RESET_LINK_MS)}. With --password-stdin, sets the password immediately. Both end all sessions; two-factor authentication stays.`,
    )
    .argument('<email>', 'email address of the account')
    .option('--password-stdin', 'read the new password from stdin')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', RESET_EXAMPLES)
    .action((email: string, options: ResetOptions) => reset(host, email, options));
}

async function reset(host: CommandHost, email: string, options: ResetOptions): Promise<void> {
  if (options.passwordStdin === true) {
    const password = await readPassword(host);
    const result = await runSupport(host, options, ({ resetPassword }, ctx) => resetPassword(ctx, email, password));
    const text = `${plainText(result.email)} has a new password and is signed out everywhere\n`;
    host.print(options.json === true ? `${JSON.stringify(result, null, 2)}\n` : text);
    return;
  }
  const link = await runSupport(host, options, async ({ makeResetLink }, ctx) => makeResetLink(ctx, email));
  host.print(options.json === true ? `${JSON.stringify(link, null, 2)}\n` : `${link.reset_url}\n`);
  if (options.json !== true)
    host.say(`The link works once and expires at ${link.expires_at}. Anyone with it can take over the account.\n`);
}

async function runSupport<Result>(
  host: CommandHost,
  options: SupportOptions,
  work: (support: Support, ctx: Context) => Promise<Result>,
): Promise<Result> {
  const config = loadCommandConfig(host, options);
  const [support, { systemContext }] = await Promise.all([
    import('../accounts/operator-support.ts'),
    import('../core/transact.ts'),
  ]);
  return withApp(config, ({ app }) => withAsyncRefusals(() => work(support, systemContext(app)), MISSING));
}
