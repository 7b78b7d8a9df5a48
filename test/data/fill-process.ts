// Fills a database, until it is complete or the process is killed.
import { fillStep } from '../../src/data/background-fills.ts';
import { openDatabase } from '../../src/data/database.ts';

const [file = ''] = process.argv.slice(2);
const { $client } = openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 5_000 });
const step = $client.transaction(() => fillStep($client));
while (step.immediate()) process.stdout.write('.');
$client.close();
