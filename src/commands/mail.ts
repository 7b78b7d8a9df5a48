// taxiway mail: shows emails of the last month, for servers without a mail server and for missing emails.
import { Command, Option } from 'commander';
import { Refusal } from '../lib/failure.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import { type CommandHost, plainText } from './host.ts';
import { readLimit } from './limit-option.ts';
import { withApp } from './open-app.ts';
import { formatTable } from './table.ts';

interface ListOptions extends ConfigOptions {
  to?: string;
  state?: 'pending' | 'kept' | 'sent' | 'failed';
  limit: number;
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

The content of sent emails is deleted, because its links are secret.
`;

export function buildMailCommand(host: CommandHost): Command {
  const list = addConfigOption(new Command('list'))
    .description('Lists emails, newest first, without their content.')
    .option('--to <address>', 'only emails to this address')
    .addOption(new Option('--state <state>', 'only in this state').choices(['pending', 'kept', 'sent', 'failed']))
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
  return new Command('mail')
    .description('Shows emails of the last month. Works with or without a running server.')
    .addCommand(list)
    .addCommand(show)
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

function plainLines(text: string): string {
  return text.split('\n').map(plainText).join('\n');
}
