// taxiway audit export: prints the audit trail of an organization as CSV or JSON lines, without the limits of the API.
import { Command, InvalidArgumentError, Option } from 'commander';
import { Refusal, UsageError } from '../lib/failure.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import type { CommandHost } from './host.ts';
import { withApp } from './open-app.ts';
import { UNKNOWN_ORGANIZATION } from './service-errors.ts';

interface ExportOptions extends ConfigOptions {
  organization: string;
  from?: string;
  to?: string;
  format: 'csv' | 'jsonl';
}

const EXAMPLES = `
Examples:
  taxiway audit export --organization 0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b --from 2026-01-01 --to 2026-01-31 > january.csv
  taxiway audit export --organization 0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b --format jsonl

Days are in UTC and inclusive. Without --from or --to, the period is open. Oldest first. The audit trail of a deleted
organization can still be exported.
`;

const FIRST_DAY = '0001-01-01';
const LAST_DAY = '9999-12-30';
const CHUNK_CHARACTERS = 65_536;

export function buildAuditCommand(host: CommandHost): Command {
  const exporting = addConfigOption(new Command('export'))
    .description('Prints the audit trail of an organization.')
    .requiredOption('--organization <id>', 'ID of the organization')
    .option('--from <day>', 'first day, YYYY-MM-DD', readDay)
    .option('--to <day>', 'last day, YYYY-MM-DD', readDay)
    .addOption(new Option('--format <format>', 'output format').choices(['csv', 'jsonl']).default('csv'))
    .addHelpText('after', EXAMPLES)
    .action((options: ExportOptions) => exportAudit(host, options));
  return new Command('audit')
    .description('Exports the audit trail of an organization. Works with or without a running server.')
    .addCommand(exporting)
    .addHelpText('after', EXAMPLES);
}

function readDay(value: string): string {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(`${value}T00:00:00Z`));
  const isReal = isDay && new Date(`${value}T00:00:00Z`).toISOString().startsWith(value);
  if (!isReal) throw new InvalidArgumentError('It must be a day such as 2026-01-31.');
  return value;
}

async function exportAudit(host: CommandHost, options: ExportOptions): Promise<void> {
  const { from = FIRST_DAY, to = LAST_DAY, format } = options;
  if (to < from) throw new UsageError(`--to ${to} is before --from ${from}`);
  const [{ exportTrail }, { auditCsvHeader, auditCsvLine }, { periodOfDays }] = await Promise.all([
    import('../audit/service.ts'),
    import('../audit/csv.ts'),
    import('../audit/period.ts'),
  ]);
  const organizationId = options.organization.toLowerCase();
  await withApp(loadCommandConfig(host, options), ({ app }) => {
    let text = format === 'csv' ? auditCsvHeader : '';
    let count = 0;
    for (const row of exportTrail(app, organizationId, periodOfDays(from, to))) {
      count += 1;
      text += format === 'csv' ? auditCsvLine(row) : `${JSON.stringify(row)}\n`;
      if (text.length < CHUNK_CHARACTERS) continue;
      host.print(text);
      text = '';
    }
    if (count === 0 && !isKnown(app, organizationId)) throw new Refusal(UNKNOWN_ORGANIZATION);
    host.print(text);
  });
}

/** A deleted organization still has an audit trail. */
function isKnown({ db }: { db: { $client: import('better-sqlite3').Database } }, id: string): boolean {
  const known = db.$client.prepare(
    'SELECT 1 FROM organizations WHERE id = @id UNION SELECT 1 FROM audit_events WHERE chain = @id',
  );
  return known.get({ id }) !== undefined;
}
