// taxiway storage: moves stored objects between backends, and verifies them.

import { Command, InvalidArgumentError, Option } from 'commander';
import type { ObjectVerdict } from '../checks/verify-objects.ts';
import { countOf } from '../lib/count.ts';
import { Refusal } from '../lib/failure.ts';
import { formatBytes } from '../lib/formats.ts';
import { type StorageBackend, storageBackends } from '../lib/storage-backends.ts';
import type { MoveResult } from '../storage/move-objects.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import { type CommandHost, plainText } from './host.ts';
import { withApp } from './open-app.ts';
import { createProgressLines, PROGRESS_PAUSE_MS } from './progress.ts';
import { formatTable } from './table.ts';
import { drawLine } from './terminal-line.ts';

interface MoveCommandOptions extends ConfigOptions {
  to: StorageBackend;
  organization?: string;
  json?: boolean;
}

interface LeaveOptions extends ConfigOptions {
  organization: string;
  json?: boolean;
}

interface VerifyOptions extends ConfigOptions {
  sample?: number;
  json?: boolean;
}

/** How often the progress is shown. */
const TERMINAL_PAUSE_MS = 200;
const BAR_WIDTH = 30;

const EXAMPLES = `
Examples:
  taxiway storage move --to s3
  taxiway storage move --to local --organization 0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b
  taxiway storage move --to azure --organization 0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b

Uploads and downloads work during the move. If it's interrupted, run it again: it continues. The exit code is 1 if an object
wasn't moved.
`;

const VERIFY_EXAMPLES = `
Examples:
  taxiway storage verify
  taxiway storage verify --sample 100

Packages are compared with the checksum from their upload. A problem of a package is recorded, so that the server doesn't deliver
it and shows it to operators. Reading is slow on purpose, so that other requests don't wait. The exit code is 1 if an object is
missing or damaged.
`;

const LEAVE_EXAMPLES = `
Example:
  taxiway storage leave --organization 0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b

Existing packages stay in the container until "taxiway storage move" moves them.
`;

export function buildStorageCommand(host: CommandHost): Command {
  const move = addConfigOption(new Command('move'))
    .description('Moves stored objects to another backend, and compares each copy by SHA-256.')
    .addOption(new Option('--to <backend>', 'backend to move them to').choices(storageBackends).makeOptionMandatory())
    .option('--organization <id>', 'move only the objects of an organization')
    .option('--json', 'print the counts as JSON')
    .addHelpText('after', EXAMPLES)
    .action((options: MoveCommandOptions) => moveAll(host, options));
  const verify = addConfigOption(new Command('verify'))
    .description('Reads stored objects in all backends, and lists those that are missing or damaged.')
    .option('--sample <number>', 'read only this many, chosen at random', readSample)
    .option('--json', 'print the counts and problems as JSON')
    .addHelpText('after', VERIFY_EXAMPLES)
    .action((options: VerifyOptions) => verifyAll(host, options));
  const leave = addConfigOption(new Command('leave'))
    .description('Stores new packages of an organization on the server again, instead of in its own container.')
    .requiredOption('--organization <id>', 'organization')
    .option('--json', 'print the former container as JSON')
    .addHelpText('after', LEAVE_EXAMPLES)
    .action((options: LeaveOptions) => leaveContainer(host, options));
  return new Command('storage')
    .description('Moves and verifies stored objects. Works with or without a running server.')
    .addCommand(move)
    .addCommand(verify)
    .addCommand(leave)
    .addHelpText('after', EXAMPLES);
}

async function leaveContainer(host: CommandHost, options: LeaveOptions): Promise<void> {
  const [{ leaveOwnStorage }, { systemContext }, { withRefusals }] = await Promise.all([
    import('../byosa/operator.ts'),
    import('../core/transact.ts'),
    import('./service-errors.ts'),
  ]);
  const missing = 'the organization has no container of its own for new builds';
  const organizationId = options.organization.toLowerCase();
  const { account, container } = await withApp(loadCommandConfig(host, options), ({ app }) =>
    withRefusals(() => leaveOwnStorage(systemContext(app), organizationId), missing),
  );
  const left = { organization_id: organizationId, storage_account: account, container };
  const text = `new packages are stored by the server again, no longer in the container ${container}\n`;
  host.print(options.json === true ? `${JSON.stringify(left, null, 2)}\n` : text);
}

function readSample(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('It must be a number from 1 to 999999999.');
  return Number(value);
}

async function verifyAll(host: CommandHost, options: VerifyOptions): Promise<void> {
  const [{ verifyObjects }, { systemContext }] = await Promise.all([
    import('../checks/verify-objects.ts'),
    import('../core/transact.ts'),
  ]);
  const say = createProgressLines(host);
  const onProgress = (done: number, total: number): void => say(() => `${done} of ${countOf(total, 'object')} read`);
  const verdict = await withApp(loadCommandConfig(host, options), ({ app }) =>
    verifyObjects(systemContext(app), { sample: options.sample, random: () => host.random(), onProgress }),
  );
  const { checked, total, bytes, problems, unlisted } = verdict;
  if (options.json === true) host.print(`${JSON.stringify(describeVerdict(verdict), null, 2)}\n`);
  else {
    const cells = problems.map(({ what, build, project, key, backend, text }) => [
      what,
      `build ${build ?? '-'}`,
      `project ${project ?? '-'}`,
      `${backend}: ${key}`,
      plainText(text),
    ]);
    if (cells.length > 0) host.print(formatTable(cells));
    if (unlisted > 0) host.print(`and ${unlisted} more\n`);
    host.print(`${checked} of ${countOf(total, 'object')} read (${formatBytes(bytes, 'en')})\n`);
  }
  const count = problems.length + unlisted;
  if (count > 0) throw new Refusal(`${countOf(count, 'object')} missing or damaged`);
}

function describeVerdict({ checked, total, bytes, problems, unlisted }: ObjectVerdict) {
  const listed = problems.map(({ what, key, backend, build, project, text }) => {
    return { what, key, backend, build, project, text };
  });
  return { ok: problems.length === 0, checked, total, bytes, problems: listed, unlisted_problems: unlisted };
}

async function moveAll(host: CommandHost, options: MoveCommandOptions): Promise<void> {
  const { to } = options;
  const config = loadCommandConfig(host, options);
  const [{ moveObjects }, { systemContext }] = await Promise.all([
    import('../storage/move-objects.ts'),
    import('../core/transact.ts'),
  ]);
  const result = await withApp(config, ({ app }) =>
    moveObjects(systemContext(app), {
      to,
      organizationId: options.organization?.toLowerCase(),
      onProgress: createProgress(host),
    }),
  );
  if (options.json === true) host.print(`${JSON.stringify(describeResult(to, result), null, 2)}\n`);
  else printResult(host, to, result);
  if (config.storage.backend !== to && options.organization === undefined) {
    host.say(`new objects are stored in "${config.storage.backend}" until storage.backend is "${to}"\n`);
  }
  if (result.failed > 0) throw new Refusal(`${countOf(result.failed, 'object')} not moved`);
}

/** Shows a bar in a terminal, or a line from time to time. */
function createProgress(host: CommandHost): (done: number, total: number, bytes: number) => void {
  const { isStderrTerminal } = host;
  const pause = isStderrTerminal ? TERMINAL_PAUSE_MS : PROGRESS_PAUSE_MS;
  let saidAt = host.now();
  let isFirst = true;
  return (done, total, bytes) => {
    // The server on the same machine goes first.
    if (isFirst) host.lowerPriority();
    isFirst = false;
    const isEnd = done >= total && isStderrTerminal;
    if (!isEnd && host.now() - saidAt < pause) return;
    saidAt = host.now();
    const line = `${done} of ${Math.max(done, total)} objects, ${formatBytes(bytes, 'en')} moved`;
    const filled = Math.min(BAR_WIDTH, Math.floor((done / Math.max(1, total)) * BAR_WIDTH));
    const bar = `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}]`;
    if (isStderrTerminal) drawLine(host, [`${bar} ${line}`, line]);
    else host.say(`${line}\n`);
    if (isEnd) host.say('\n');
  };
}

function describeResult(to: StorageBackend, result: MoveResult) {
  const { moved, bytes, there, waiting, inContainers, deleted, failed, failures, uploads } = result;
  const listed = failures.map(({ what, key, build, project, reason }) => ({ what, key, build, project, reason }));
  const counts = { moved, bytes, already_there: there, waiting, in_containers: inContainers, deleted, failed };
  return { to, ...counts, open_uploads: uploads, failures: listed };
}

function printResult(host: CommandHost, to: StorageBackend, result: MoveResult): void {
  const { failures, failed, moved, bytes, there, waiting, inContainers, uploads } = result;
  const cells = failures.map(({ what, key, build, project, reason }) => [
    what,
    `build ${build ?? '-'}`,
    `project ${project ?? '-'}`,
    key,
    plainText(reason),
  ]);
  if (cells.length > 0) host.print(formatTable(cells));
  if (failed > failures.length) host.print(`and ${failed - failures.length} more\n`);
  host.print(`${countOf(moved, 'object')} (${formatBytes(bytes, 'en')}) moved to ${to}, ${there} were there before\n`);
  if (waiting > 0) {
    host.print(`${countOf(waiting, 'object')} moved less than 20 minutes ago: run the command again later\n`);
  }
  if (inContainers > 0) {
    host.print(
      `${countOf(inContainers, 'package')} stay in the containers of organizations: move them with --organization\n`,
    );
  }
  if (uploads > 0)
    host.print(`${countOf(uploads, 'incomplete upload')} in another backend: run the command again later\n`);
}
