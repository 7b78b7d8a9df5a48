// Data folders that have a database already: applying all migrations takes longer than starting a server.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migratedDatabase } from '../../src/testing/fixture.ts';

/** Creates a data folder with a database that has all migrations and nothing else. */
export function placeDatabase(dataFolder: string): void {
  mkdirSync(dataFolder, { recursive: true, mode: 0o750 });
  writeFileSync(join(dataFolder, 'taxiway.db'), migratedDatabase(), { mode: 0o600 });
}
