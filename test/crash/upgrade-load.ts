// Upgrades a database, and fills in the background what is left, as a server does: upgrade-load.ts FILE. The log is written into the database
// and started over all the time.
import { createFiller, listFills } from '../../src/data/background-fills.ts';
import { openDatabase } from '../../src/data/database.ts';
import { startGroupCommit } from '../../src/data/group-commit.ts';
import { migrateDatabase } from '../../src/data/migrate.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createCheckpointThread } from '../../src/runtime/checkpoint-thread.ts';

const [, , file = ''] = process.argv;
const db = openDatabase({ file, synchronous: 'full', busyTimeoutMs: 5_000 });
migrateDatabase(db.$client, systemClock);
if (listFills(db.$client).length === 0) throw new Error('nothing is left to fill');
const thread = createCheckpointThread(
  { file, nativeBinding: undefined },
  { warn: (facts: unknown) => void process.stderr.write(`${String(facts)}\n`) },
);
const stop = startGroupCommit(db, thread.run);
// Small steps, because there are few rows.
const filler = createFiller(db.$client, { ms: 0, counted: 1 });
const step = db.$client.transaction(() => filler.step());
for (let number = 0; step.immediate(); number += 1) {
  if (number % 3 === 0) await db.durability.settle();
  if (number % 5 === 0) await thread.run();
}
filler.close();
await stop();
await thread.close();
