// taxiway mail: shows emails of the last month, for servers without a mail server and for missing emails, and sends failed ones
// again.

import { Command, Option } from 'commander';
import { sendsEmail } from '../config/sends-email.ts';
import { countOf } from '../lib/count.ts';
import { Refusal, UsageError } from '../lib/failure.ts';
import { type MailState, mailStates } from '../lib/mail-states.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import { type CommandHost, plainText } from './host.ts';
import { readLimit } from './limit-option.ts';
import { withApp } from './open-app.ts';
import { formatTable } from './table.ts';

interface ListOptions extends ConfigOptions {
  to?: string;
  state?: MailState;
  limit: number;
  json?: boolean;
}

interface RetryOptions extends ConfigOptions {
  all?: boolean;
  json?: boolean;
}

interface ShowOptions extends ConfigOptions {
  html?: boolean;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  taxiway mail list --to dana@example.com
  taxiway mail list --state failed --json
  taxiway mail show 0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b
  taxiway mail retry --all

The content of sent emails is deleted, because its links are secret. Links of failed emails may have expired when they are sent again.
`;

export function buildMailCommand(host: CommandHost): Command {
  const list = addConfigOption(new Command('list'))
    .description('Lists emails, newest first, without their content.')
    .option('--to <address>', 'only emails to this address')
    .addOption(new Option('--state <state>', 'only in this state').choices(mailStates))
    .option('--limit <number>', 'maximum number of results', readLimit, 50)
    .option('--json', 'print them as a JSON array')
    .addHelpText('after', EXAMPLES)
    .action((options: ListOptions) => listMails(host, options));
  const show = addConfigOption(new Command('show'))
    .description('Prints an email. Its links work for anyone who has them.')
    .argument('<id>', 'ID of the email, from "taxiway mail list"')
    .option('--html', 'print the HTML instead of the text')
    .option('--json', 'print the complete email as JSON')
    .addHelpText('after', EXAMPLES)
    .action((id: string, options: ShowOptions) => showMail(host, id, options));
  const retry = addConfigOption(new Command('retry'))
    .description('Sends failed emails again. The running server sends them; without one, the next start does.')
    .argument('[ids...]', 'IDs of emails, from "taxiway mail list --state failed"')
    .option('--all', 'all failed emails of the last month')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLES)
    .action((ids: string[], options: RetryOptions) => retryMails(host, ids, options));
  return new Command('mail')
    .description('Shows emails of the last month, and sends failed ones again. Works with or without a running server.')
    .addCommand(list)
    .addCommand(show)
    .addCommand(retry)
    .addHelpText('after', EXAMPLES);
}

async function listMails(host: CommandHost, options: ListOptions): Promise<void> {
  const { listMails: readMails } = await import('../mail/archive.ts');
  const wanted = { to: options.to?.trim().toLowerCase(), state: options.state, limit: options.limit };
  const mails = await withApp(loadCommandConfig(host, options), ({ app }) => readMails(app, wanted));
  if (options.json === true) {
    host.print(`${JSON.stringify(mails, null, 2)}\n`);
    return;
  }
  if (mails.length === 0) host.say('No matching emails.\n');
  const rows = mails.map((mail) =>
    [mail.identifier, mail.created_at, mail.state, mail.to, mail.subject, mail.last_error ?? ''].map(plainText),
  );
  host.print(formatTable(rows));
}

async function showMail(host: CommandHost, id: string, options: ShowOptions): Promise<void> {
  const { findMail } = await import('../mail/archive.ts');
  const mail = await withApp(loadCommandConfig(host, options), ({ app }) => findMail(app, id.toLowerCase()));
  if (mail === undefined) throw new Refusal('There is no email with this ID');
  if (options.json === true) {
    host.print(`${JSON.stringify(mail, null, 2)}\n`);
    return;
  }
  if (options.html === true) {
    // A file gets the HTML unchanged. On a terminal, text from users must not control it.
    host.print(host.isStdoutTerminal ? plainLines(mail.html) : mail.html);
    return;
  }
  const head = [
    ['To:', mail.to],
    ['Subject:', mail.subject],
    ['Kind:', mail.kind],
    ['State:', mail.last_error === null ? mail.state : `${mail.state} (${mail.last_error})`],
    ['Date:', mail.created_at],
  ];
  host.print(`${formatTable(head.map((row) => row.map(plainText)))}\n${plainLines(mail.text)}`);
}

async function retryMails(host: CommandHost, ids: string[], options: RetryOptions): Promise<void> {
  if ((ids.length === 0) !== (options.all === true))
    throw new UsageError('name the IDs of failed emails, or use --all');
  const config = loadCommandConfig(host, options);
  if (!sendsEmail(config)) {
    throw new Refusal('the server sends no email: set [mail] transport to "smtp" in config.toml first');
  }
  const [{ retryFailedMails, retryMail }, { systemContext }] = await Promise.all([
    import('../mail/outbox.ts'),
    import('../core/transact.ts'),
  ]);
  const { queued, unknown } = await withApp(config, ({ app }) => {
    const ctx = systemContext(app);
    if (options.all === true) return { queued: retryFailedMails(ctx), unknown: [] };
    const failed = [...new Set(ids.map((id) => id.toLowerCase()))];
    const refused = failed.filter((id) => !retryMail(ctx, id));
    return { queued: failed.length - refused.length, unknown: refused };
  });
  host.print(
    options.json === true ? `${JSON.stringify({ queued }, null, 2)}\n` : `${countOf(queued, 'email')} queued\n`,
  );
  if (unknown.length > 0) throw new Refusal(`there is no failed email with the ID ${unknown.join(', ')}`);
}

function plainLines(text: string): string {
  return text.split('\n').map(plainText).join('\n');
}
