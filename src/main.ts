#!/usr/bin/env node
// The taxiway command: selects a subcommand.
import { createProcessHost, guardOutput } from './commands/host.ts';
import { runTaxiway } from './commands/run.ts';
import { commandArguments, programName } from './lib/process.ts';

// Node would open its debugger on a local port. The executable and scripts/taxiway also disable it with an option.
process.on('SIGUSR1', () => undefined);

const end = guardOutput();

const nodeVersion = process.versions.node;
if (Number.parseInt(nodeVersion, 10) < 24) {
  // The database driver would crash on older versions without a message.
  const program = programName();
  const hint = program === 'scripts/taxiway' ? `; ${program} runs it with the right one` : '';
  process.stderr.write(`taxiway: Node.js 24 or newer is required, this is ${nodeVersion}${hint}\n`);
  process.exit(1);
}

runTaxiway(commandArguments(), createProcessHost()).then(end);
