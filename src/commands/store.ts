// taxiway store: lists the connections to app stores, and asks whether their credentials still work.
import { Command } from 'commander';
import { Refusal } from '../lib/failure.ts';
import { connect } from './client/connection.ts';
import { findStoreConnection, listStoreConnections } from './client/lookup.ts';
import { StoreConnection } from './client/shapes.ts';
import { type CommandHost, plainText } from './host.ts';
import { formatTable } from './table.ts';

interface StoreOptions {
  organization?: string;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  taxiway store list
  taxiway store validate "Our Apple team"

Validating a connection to Google Play with a package opens an edit of the app and deletes it. That ends an open edit of
the same service account.
`;

export function buildStoreCommand(host: CommandHost): Command {
  const list = new Command('list')
    .description('Lists connections with the results of their last validations.')
    .option('--organization <id|name>', 'connections of this organization only')
    .option('--json', 'print them as a JSON array')
    .addHelpText('after', EXAMPLES)
    .action((options: StoreOptions) => listConnections(host, options));
  const validate = new Command('validate')
    .description('Asks the store whether the credentials of a connection still work. Fails if it rejects them.')
    .argument('<connection>', 'ID or name of the connection, from "taxiway store list"')
    .option('--organization <id|name>', 'organization to look for the connection in')
    .option('--json', 'print the connection as JSON')
    .addHelpText('after', EXAMPLES)
    .action((connection: string, options: StoreOptions) => validateConnection(host, connection, options));
  return new Command('store')
    .description('Lists and validates connections to App Store Connect and Google Play. Requires the role manager.')
    .addCommand(list)
    .addCommand(validate)
    .addHelpText('after', EXAMPLES);
}

async function listConnections(host: CommandHost, options: StoreOptions): Promise<void> {
  const connections = await listStoreConnections(connect(host), options.organization);
  if (options.json === true) {
    host.print(`${JSON.stringify(connections, null, 2)}\n`);
    return;
  }
  if (connections.length === 0) host.say('No store connections.\n');
  const rows = connections.map((one) => [
    one.identifier,
    plainText(one.provider),
    one.status,
    plainText(one.validation.checked_at),
    plainText(one.name),
    plainText(one.validation.message ?? ''),
  ]);
  host.print(formatTable(rows));
}

async function validateConnection(host: CommandHost, wanted: string, options: StoreOptions): Promise<void> {
  const api = connect(host);
  const { organization } = options;
  const { identifier } = await findStoreConnection(api, {
    connection: wanted,
    ...(organization === undefined ? {} : { organization }),
  });
  const path = `/store-connections/${encodeURIComponent(identifier)}/validate`;
  const validated = await api.send({ method: 'POST', path, isRepeatable: true }, StoreConnection);
  const { status, name, validation } = validated;
  if (options.json === true) host.print(`${JSON.stringify(validated, null, 2)}\n`);
  if (status === 'invalid') {
    throw new Refusal(`${plainText(name)} is invalid: ${plainText(validation.message ?? validation.scope)}`);
  }
  if (options.json !== true) host.print(`valid: ${plainText(name)} (${describeScope(validated)})\n`);
}

/** Says what a successful validation proves. */
function describeScope({ validation: { scope }, package_name: packageName }: StoreConnection): string {
  if (scope === 'account') return 'access to the account';
  return scope === 'package' ? `access to ${plainText(packageName ?? '')}` : 'the key works; no package was checked';
}
