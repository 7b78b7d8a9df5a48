// The baseline of a start: an executable that opens a database and answers requests with a value from it. Arguments: folder, port.
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { getRawAsset } from 'node:sea';
import Sqlite from 'better-sqlite3';

const [, , folder = '', port] = process.argv;
const nativeBinding = join(folder, 'addon.node');
if (!existsSync(nativeBinding)) writeFileSync(nativeBinding, new Uint8Array(getRawAsset('addon') as ArrayBuffer));
const database = new Sqlite(join(folder, 'bare.db'), { nativeBinding });
database.pragma('journal_mode = WAL');
database.exec('CREATE TABLE IF NOT EXISTS answers (answer INTEGER)');
const count = database.prepare('SELECT count(*) AS answers FROM answers');
process.on('SIGTERM', () => process.exit());
createServer((_request, response) => response.end(JSON.stringify(count.get()))).listen(Number(port), '127.0.0.1');
