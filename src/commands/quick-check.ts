// taxiway quick-check: checks a database in another process, so that a large one doesn't block the server.
import Sqlite from 'better-sqlite3';
import { Command } from 'commander';
import { findDamage } from '../data/damage.ts';
import type { CommandHost } from './host.ts';

export function buildQuickCheckCommand(host: CommandHost): Command {
  return new Command('quick-check')
    .description('Checks a database file and prints problems as JSON.')
    .argument('<file>', 'the database')
    .argument('[addon]', "SQLite's native addon")
    .action((file: string, addon?: string) => {
      const client = new Sqlite(file, {
        readonly: true,
        fileMustExist: true,
        ...(addon === undefined ? {} : { nativeBinding: addon }),
      });
      const problems = findDamage(client, 'quick_check');
      client.close();
      host.print(`${JSON.stringify({ problems })}\n`);
    });
}
