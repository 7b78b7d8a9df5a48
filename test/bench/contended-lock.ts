// Holds a database's lock for half a second while another program needs the same processor. Prints the time and what was watched.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import Sqlite from 'better-sqlite3';
import { watchLocks } from '../../bench/lock-watch.ts';

const HELD_MS = 500;
const other = spawn(process.execPath, ['-e', "process.stdout.write('busy'); for (;;);"]);
await once(other.stdout, 'data');
const longest = watchLocks();
const client = new Sqlite(':memory:');
let wall = 0;
client
  .transaction(() => {
    const begin = performance.now();
    while (wall < HELD_MS) wall = performance.now() - begin;
  })
  .immediate();
client.close();
other.kill('SIGKILL');
process.stdout.write(JSON.stringify({ wall, locked: longest() }));
