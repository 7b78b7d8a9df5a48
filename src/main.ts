#!/usr/bin/env node
// The taxiway command: picks a subcommand, nothing else.
import { createProcessHost } from './commands/host.ts';
import { runTaxiway } from './commands/run.ts';
import { commandArguments } from './platform/process.ts';

// Whoever reads the output may stop early, as `head` does; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

runTaxiway(commandArguments(), createProcessHost()).then((code) => {
  process.exitCode = code;
});
