// taxiway storage-request: lists, approves and rejects requests of organizations for containers of their own.
import { Command } from 'commander';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import { type CommandHost, plainText } from './host.ts';
import { readLimit } from './limit-option.ts';
import { withApp } from './open-app.ts';
import { withRefusals } from './service-errors.ts';
import { formatTable } from './table.ts';

interface ListOptions extends ConfigOptions {
  open?: boolean;
  limit: number;
  json?: boolean;
}

interface DecisionOptions extends ConfigOptions {
  json?: boolean;
}

const EXAMPLES = `
Examples:
  taxiway storage-request list --open
  taxiway storage-request approve 0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b
  taxiway storage-request reject 0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b --reason "The container is in another region"

After the approval, new packages of the organization are stored in its container. Existing ones stay where they are.
`;
const MISSING = 'There is no storage request with this ID';

export function buildStorageRequestCommand(host: CommandHost): Command {
  const list = addConfigOption(new Command('list'))
    .description('Lists requests, newest first.')
    .option('--open', 'only requests that are not decided')
    .option('--limit <number>', 'maximum number of results', readLimit, 50)
    .option('--json', 'print them as a JSON array')
    .addHelpText('after', EXAMPLES)
    .action((options: ListOptions) => listRequests(host, options));
  const approve = addConfigOption(new Command('approve'))
    .description('Approves a request that passed validation.')
    .argument('<id>', 'ID of the request, from "taxiway storage-request list"')
    .option('--json', 'print the request as JSON')
    .addHelpText('after', EXAMPLES)
    .action((id: string, options: DecisionOptions) => decide(host, id, options, undefined));
  const reject = addConfigOption(new Command('reject'))
    .description('Rejects a request.')
    .argument('<id>', 'ID of the request, from "taxiway storage-request list"')
    .requiredOption('--reason <text>', 'reason, shown to the admins of the organization')
    .option('--json', 'print the request as JSON')
    .addHelpText('after', EXAMPLES)
    .action((id: string, options: DecisionOptions & { reason: string }) => decide(host, id, options, options.reason));
  return new Command('storage-request')
    .description('Decides on requests for own containers. Works with or without a running server.')
    .addCommand(list)
    .addCommand(approve)
    .addCommand(reject)
    .addHelpText('after', EXAMPLES);
}

async function listRequests(host: CommandHost, options: ListOptions): Promise<void> {
  const { listStorageRequests } = await import('../byosa/operator.ts');
  const wanted = { onlyOpen: options.open === true, limit: options.limit };
  const { items } = await withApp(loadCommandConfig(host, options), ({ app }) => listStorageRequests(app, wanted));
  if (options.json === true) {
    host.print(`${JSON.stringify(items, null, 2)}\n`);
    return;
  }
  if (items.length === 0) {
    host.say('No storage requests.\n');
    return;
  }
  const rows = items.map((item) => [
    item.identifier,
    item.requested_at.slice(0, 10),
    item.status,
    `${item.storage_account}/${item.container}`,
    plainText(item.organization_name),
    plainText(item.validation?.failure_stage ?? ''),
  ]);
  host.print(formatTable([['id', 'date', 'status', 'container', 'organization', 'failed step'], ...rows]));
}

async function decide(
  host: CommandHost,
  id: string,
  options: DecisionOptions,
  reason: string | undefined,
): Promise<void> {
  const [{ approveRequest, rejectRequest }, { systemContext }] = await Promise.all([
    import('../byosa/operator.ts'),
    import('../core/transact.ts'),
  ]);
  const wanted = id.toLowerCase();
  const request = await withApp(loadCommandConfig(host, options), ({ app }) =>
    withRefusals(() => {
      const ctx = systemContext(app);
      return reason === undefined ? approveRequest(ctx, wanted) : rejectRequest(ctx, wanted, reason);
    }, MISSING),
  );
  const place = `${request.storage_account}/${request.container} for ${plainText(request.organization_name)}`;
  host.print(options.json === true ? `${JSON.stringify(request, null, 2)}\n` : `${request.status}: ${place}\n`);
}
