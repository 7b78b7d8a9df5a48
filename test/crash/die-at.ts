// Loaded before the program (node --import): kills it just before its n-th step that changes disk or database. Steps
// count from the start (DIE_ARMED=start), or from SIGUSR2 on, which is answered by the line "armed".
import fs from 'node:fs';
import { createRequire } from 'node:module';

const dieAt = Number(process.env.DIE_AT);
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
