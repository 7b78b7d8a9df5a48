// Runs one cleanup job in a process whose turns and transactions are watched, as a server would: sweep-run.ts CONFIG NAME. Prints its time
// and its longest transaction as JSON.
import { setTimeout as sleep } from 'node:timers/promises';
import { openApp } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { runSweep } from '../src/core/sweeps.ts';
import { sweeps } from '../src/sweeps.ts';
import { watchLocks } from './lock-watch.ts';

const [, , file = '', name = ''] = process.argv;
const sweep = sweeps.find((one) => one.name === name);
if (sweep === undefined) throw new TypeError(`There is no cleanup job named ${name}`);
const longestLock = watchLocks();
const { app, close } = await openApp(loadConfig({ file, env: {}, cwd: process.cwd() }));
// What the start left to do isn't measured.
await sleep(1_000);
const begin = Date.now();
longestLock();
let removed = 0;
let error = '';
try {
  removed = await runSweep(app, sweep);
} catch (failure) {
  error = String(failure);
}
const end = Date.now();
const locked = longestLock();
await close();
process.stdout.write(JSON.stringify({ begin, end, removed, error, locked }));
