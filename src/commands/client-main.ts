#!/usr/bin/env node
// The JavaScript client: the commands that connect to a server, in one file that the server hands out at /cli. It runs on Node.js 18.
import './client-polyfills.ts';
import { basename } from 'node:path';
import { version } from '../lib/version.ts';
import { CLIENT_CATALOG, VERSION_ENTRY } from './client-catalog.ts';
import { changeHost, createProcessHost, guardOutput } from './host.ts';
import { runProgram } from './program.ts';

const EXAMPLES = `
Examples:
  taxiway upload app.apk --channel beta --notes-file notes.md
  taxiway builds --project "My App"

Run "taxiway COMMAND --help" for details of a command.
`;

const end = guardOutput();

if (Number.parseInt(process.versions.node, 10) < 18) {
  process.stderr.write(`taxiway: Node.js 18 or newer is required, this is ${process.versions.node}\n`);
  process.exit(1);
}

const program = { catalog: [...CLIENT_CATALOG, VERSION_ENTRY], hidden: [], examples: EXAMPLES };
const host = changeHost(createProcessHost(), {
  program: `node ${basename(process.argv[1] ?? 'taxiway.cjs')}`,
  clientVersion: version.version,
});
runProgram(program, process.argv.slice(2), host).then(end);
