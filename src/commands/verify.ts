// taxiway verify: whether the audit trail is as the program wrote it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import type { AuditVerdict, Head } from '../audit/verify.ts';
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

The server logs the heads of the chains every day ("audit trail heads"). Rows that were taken from the end of a chain show
when the last head that was logged before is given. The exit code is 1 when anything is wrong.
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
  const [, chain, sequence, hash] = /^([0-9a-z-]{1,64}):([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(value) ?? [];
  if (chain === undefined || sequence === undefined || hash === undefined) {
    throw new InvalidArgumentError('It wants CHAIN:SEQUENCE:HASH as the log says it.');
  }
  return [...before, { chain, sequence: Number(sequence), hash }];
}

async function verify(host: CommandHost, options: VerifyOptions): Promise<void> {
  const config = loadCommandConfig(host, options);
  const { verifyAuditTrail } = await import('../audit/verify.ts');
  const keyring = await loadKeyring(config);
  const verdict = await explainTrouble(config, () => {
    const client = openDatabaseForReading(config);
    if (client === undefined) throw new Refusal(`there is no database ${config.database.file}`);
    try {
      return verifyAuditTrail(client, keyring, options.head ?? []);
    } finally {
      client.close();
    }
  });
  printVerdict(host, verdict, options.json === true);
}

/** The key that seals checkpoints; undefined where there is none, so that none is made by looking. */
async function loadKeyring({ server }: Config): Promise<Keyring | undefined> {
  const file = join(server.data_dir, 'secret.key');
  if (server.secret_key === '' && !existsSync(file)) return undefined;
  const { createSecrets, loadMasterKey } = await import('../platform/secrets.ts');
  return createSecrets(loadMasterKey(server.secret_key, file)).keyring;
}

function printVerdict(host: CommandHost, verdict: AuditVerdict, isJson: boolean): void {
  const { rows, heads, problems, unlisted } = verdict;
  const total = problems.length + unlisted;
  if (isJson) {
    host.print(`${JSON.stringify({ ok: total === 0, rows, heads, problems, unlisted_problems: unlisted }, null, 2)}\n`);
  } else {
    host.print(
      formatTable(
        problems.map(({ problem, chain, sequence, id, timestamp, text }) =>
          [problem, `${chain}:${sequence}`, id ?? '-', timestamp ?? '-', text].map(plainText),
        ),
      ),
    );
    if (total === 0) host.print(`audit trail: ${rows} rows in ${heads.length} chains, as they were written\n`);
  }
  if (total > 0)
    throw new Refusal(`the audit trail is not as it was written: ${total} ${total === 1 ? 'place' : 'places'}`);
}
