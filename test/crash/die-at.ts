// Loaded before the program (node --import): kills it just before its n-th step that changes disk or database. Steps
// count from the start (DIE_ARMED=start), or from SIGUSR2 on, which is answered by the line "armed". Instead of dying, it can
// copy the folder COPY_FROM into COPY_TO before each of the steps COPY_AT: a killed process leaves just these files.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const dieAt = Number(process.env.DIE_AT);
const copyAt = new Set((process.env.COPY_AT ?? '').split(',').filter(Boolean).map(Number));
const { COPY_FROM: copyFrom = '', COPY_TO: copyTo = '' } = process.env;
let isArmed = process.env.DIE_ARMED === 'start';
let steps = 0;

process.on('SIGUSR2', () => {
  fs.writeSync(1, 'armed\n');
  isArmed = true;
});

function step(): void {
  if (!isArmed) return;
  steps += 1;
  if (steps === dieAt) process.kill(process.pid, 'SIGKILL');
  if (copyAt.has(steps)) copyFolder(join(copyTo, String(steps)));
}

/** In a process of its own, because closing a file here would release SQLite's locks. Without a folder, the copy is empty. */
function copyFolder(target: string): void {
  const words = fs.existsSync(copyFrom) ? ['cp', '-a', copyFrom, target] : ['mkdir', target];
  const { status } = spawnSync(words[0] ?? '', words.slice(1), { stdio: 'inherit' });
  if (status !== 0) process.kill(process.pid, 'SIGABRT');
}

/** Puts a step before each call of these methods. */
function watch(owner: object, names: readonly string[]): void {
  for (const name of names) {
    const original: unknown = Reflect.get(owner, name);
    if (typeof original !== 'function') throw new TypeError(`there is no ${name} to watch`);
    Reflect.set(owner, name, function watched(this: unknown, ...words: unknown[]): unknown {
      step();
      return Reflect.apply(original, this, words);
    });
  }
}

watch(fs, ['openSync', 'writeFileSync', 'fsyncSync', 'renameSync', 'linkSync', 'rmSync', 'mkdirSync']);
watch(fs.promises, ['open', 'rename', 'unlink', 'rm', 'rmdir', 'mkdir', 'chmod']);

const handle = await fs.promises.open(process.execPath);
watch(Object.getPrototypeOf(handle), ['write', 'sync', 'utimes']);
await handle.close();

const Database = createRequire(process.argv[1] ?? '')('better-sqlite3');
watch(Database.prototype, ['exec', 'pragma']);
const probe = new Database(':memory:');
// Transactions run their BEGIN and COMMIT through it, too.
watch(Object.getPrototypeOf(probe.prepare('SELECT 1')), ['run']);
probe.close();
