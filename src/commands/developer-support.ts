// taxiway developer verify, reset-password, disable-mfa, sign-out: the operator helps whoever cannot help themselves.
import { Command } from 'commander';
import type { CaredFor } from '../accounts/operator-support.ts';
import type { Context } from '../core/context.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import { type CommandHost, plainText } from './host.ts';
import { withApp } from './open-app.ts';
import { readPassword } from './prompt.ts';
import { refusingLater } from './service-errors.ts';

interface CareOptions extends ConfigOptions {
  json?: boolean;
}

interface ResetOptions extends CareOptions {
  passwordStdin?: boolean;
}

type Care = typeof import('../accounts/operator-support.ts');

const MISSING = 'There is no account with this e-mail address';

/** The subcommands that take the address of an account. */
export function buildCareCommands(host: CommandHost): Command[] {
  return [
    buildCare(host, {
      name: 'verify',
      description: 'Takes the address of an account for proven, on the word of the operator.',
      care: ({ verifyAccount }, ctx, email) => verifyAccount(ctx, email),
      said: ({ changed, password_ended: isEnded, email }) =>
        isEnded === true
          ? `is verified. It was signed up more than once, so it has no password: taxiway developer reset-password ${plainText(email)}`
          : changed
            ? 'is verified'
            : 'was verified already',
    }),
    buildReset(host),
    buildCare(host, {
      name: 'disable-mfa',
      description: 'Takes every second factor from an account: authenticator app, recovery codes and passkeys.',
      care: ({ disableFactors }, ctx, email) => disableFactors(ctx, email),
      said: ({ changed }) => (changed ? 'has no second factor any more' : 'had no second factor'),
    }),
    buildCare(host, {
      name: 'sign-out',
      description: 'Ends every session of an account; its access tokens end with them.',
      care: ({ signOutEverywhere }, ctx, email) => signOutEverywhere(ctx, email),
      said: ({ sessions }) => `is signed out of ${sessions} ${sessions === 1 ? 'session' : 'sessions'}`,
    }),
  ];
}

interface CareCommand<Result extends CaredFor> {
  name: string;
  description: string;
  care(care: Care, ctx: Context, email: string): Result;
  said(result: Result): string;
}

function buildCare<Result extends CaredFor>(host: CommandHost, command: CareCommand<Result>): Command {
  return addConfigOption(new Command(command.name))
    .description(command.description)
    .argument('<email>', 'address of the account')
    .option('--json', 'print what was done as JSON')
    .addHelpText('after', `\nExample:\n  taxiway developer ${command.name} dana@example.com\n`)
    .action(async (email: string, options: CareOptions) => {
      const result = await runCare(host, options, async (care, ctx) => command.care(care, ctx, email));
      const text = `${plainText(result.email)} ${command.said(result)}\n`;
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
      'Prints a link that sets a new password: it works once, for one hour. With --password-stdin the password is set at once. Either ends every session; second factors stay.',
    )
    .argument('<email>', 'address of the account')
    .option('--password-stdin', 'read the new password from stdin')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', RESET_EXAMPLES)
    .action((email: string, options: ResetOptions) => reset(host, email, options));
}

async function reset(host: CommandHost, email: string, options: ResetOptions): Promise<void> {
  if (options.passwordStdin === true) {
    const password = await readPassword(host);
    const result = await runCare(host, options, ({ resetPassword }, ctx) => resetPassword(ctx, email, password));
    const text = `${plainText(result.email)} has the new password and is signed out everywhere\n`;
    host.print(options.json === true ? `${JSON.stringify(result, null, 2)}\n` : text);
    return;
  }
  const link = await runCare(host, options, async ({ makeResetLink }, ctx) => makeResetLink(ctx, email));
  host.print(options.json === true ? `${JSON.stringify(link, null, 2)}\n` : `${link.reset_url}\n`);
  if (options.json !== true) host.say(`Works once, until ${link.expires_at}. Whoever has it has the account.\n`);
}

async function runCare<Result>(
  host: CommandHost,
  options: CareOptions,
  work: (care: Care, ctx: Context) => Promise<Result>,
): Promise<Result> {
  const config = loadCommandConfig(host, options);
  const [care, { systemContext }] = await Promise.all([
    import('../accounts/operator-support.ts'),
    import('../core/transact.ts'),
  ]);
  return withApp(config, ({ app }) => refusingLater(() => work(care, systemContext(app)), MISSING));
}
