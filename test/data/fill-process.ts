// Fills a database. With a number, it kills itself in the transaction of the step after so many.
import { createFiller, type RowRange } from '../../src/data/background-fills.ts';
import { openDatabase } from '../../src/data/database.ts';

const [file = '', given] = process.argv.slice(2);
const { $client } = openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 5_000 });
const [keys, downloads] = [200, 1_000].map((rows) => ({ min: rows, max: rows })) as [RowRange, RowRange];
const filler = createFiller($client, { keys, downloads });
let steps = 0;
const step = $client.transaction(() => {
  const isLeft = filler.step();
  steps += 1;
  if (given !== undefined && steps > Number(given)) process.kill(process.pid, 'SIGKILL');
  return isLeft;
});
while (step.immediate());
filler.close();
$client.close();
