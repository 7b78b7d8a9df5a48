// SQLite's native addon, in the place that the configuration gives it.
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { sqliteAddon } from '../lib/assets.ts';

/** Returns the path of SQLite's native addon, if the program has to name it. Each call checks the file. */
export function addonOf({ server }: Config): string | undefined {
  return sqliteAddon([join(server.data_dir, '.runtime')]);
}
