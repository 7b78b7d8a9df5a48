// taxiway verify: whether the audit trail is as the program wrote it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import type { Head, NotedHeads } from '../audit/noted-heads.ts';
import { parseHead } from '../audit/noted-heads.ts';
import type { AuditVerdict } from '../audit/verify.ts';
import type { Config } from '../config.ts';
import type { Keyring } from '../platform/signing.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import { Refusal } from './failure.ts';
import { type CommandHost, plainText } from './host.ts';
import { explainTrouble, openDatabaseForReading } from './opening.ts';
import { formatTable } from './table.ts';

interface VerifyOptions extends ConfigOptions {
  head?: Head[];
  json?: boolean;
}

const EXAMPLES = `
Examples:
  taxiway verify
  taxiway verify --head 0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b:1042:4f0c…

Rows that were removed from the end of a chain show by the heads of the chains: the server notes them every minute in
the database file's name with ".audit-heads", which this command reads by itself, and logs them every day ("audit trail
heads"). Give a logged head when that file may have been lost, too. The exit code is 1 when anything is wrong.
`;

export function buildVerifyCommand(host: CommandHost): Command {
  return addConfigOption(new Command('verify'))
    .description('Checks the audit trail: rows that were altered, removed, inserted or moved show with their place.')
    .option('--head <chain:sequence:hash>', 'a head that was logged earlier; can be given several times', readHead)
    .option('--json', 'print chains, heads and problems as JSON')
    .addHelpText('after', EXAMPLES)
    .action((options: VerifyOptions) => verify(host, options));
}

function readHead(value: string, before: Head[] = []): Head[] {
  const head = parseHead(value);
  if (head === undefined) throw new InvalidArgumentError('It wants CHAIN:SEQUENCE:HASH as the log says it.');
  return [...before, head];
}

async function verify(host: CommandHost, options: VerifyOptions): Promise<void> {
  const config = loadCommandConfig(host, options);
  const [{ verifyAuditTrail }, { readNotedHeads }] = await Promise.all([
    import('../audit/verify.ts'),
    import('../audit/noted-heads.ts'),
  ]);
  const keyring = await loadKeyring(config);
  let kept: NotedHeads | undefined;
  const verdict = await explainTrouble(config, () => {
    const client = openDatabaseForReading(config);
    if (client === undefined) throw new Refusal(`there is no database ${config.database.file}`);
    try {
      // Before the rows: what a server adds meanwhile is no less than what was noted.
      kept = readNotedHeads(config.database.file, keyring);
      return verifyAuditTrail(client, keyring, options.head ?? [], kept);
    } finally {
      client.close();
    }
  });
  printVerdict(host, verdict, kept, options.json === true);
}

/** The key that seals checkpoints; undefined where there is none, so that none is made by looking. */
async function loadKeyring({ server }: Config): Promise<Keyring | undefined> {
  const file = join(server.data_dir, 'secret.key');
  if (server.secret_key === '' && !existsSync(file)) return undefined;
  const { createSecrets, loadMasterKey } = await import('../platform/secrets.ts');
  return createSecrets(loadMasterKey(server.secret_key, file)).keyring;
}

function printVerdict(host: CommandHost, verdict: AuditVerdict, kept: NotedHeads | undefined, isJson: boolean): void {
  const { rows, heads, problems, unlisted } = verdict;
  const total = problems.length + unlisted;
  if (isJson) {
    host.print(
      `${JSON.stringify({ ok: total === 0, rows, heads, noted_heads: kept?.heads.length ?? null, problems, unlisted_problems: unlisted }, null, 2)}\n`,
    );
  } else {
    host.print(
      formatTable(
        problems.map(({ problem, chain, sequence, id, timestamp, text }) =>
          [problem, `${chain}:${sequence}`, id ?? '-', timestamp ?? '-', text].map(plainText),
        ),
      ),
    );
    if (total === 0 && kept === undefined) {
      host.say('no heads are noted beside the database yet; a running server notes them every minute\n');
    }
    if (total === 0) host.print(`audit trail: ${rows} rows in ${heads.length} chains, as they were written\n`);
  }
  if (total > 0)
    throw new Refusal(`the audit trail is not as it was written: ${total} ${total === 1 ? 'place' : 'places'}`);
}
