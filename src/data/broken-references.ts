// Broken foreign keys, except those that a deletion in progress will remove.
import type Sqlite from 'better-sqlite3';
import { hasTable } from './has-table.ts';

export interface BrokenReference {
  table: string;
  rowid: number;
  parent: string;
  fkid: number;
}

/** Returns every broken reference of a database, without writing to it. Rows that belong to a row in `removals` don't count. */
export function findBrokenReferences(client: Sqlite.Database): BrokenReference[] {
  const broken = client.prepare<[], BrokenReference>('PRAGMA foreign_key_check').all();
  if (broken.length === 0) return broken;
  const removed = listRemoved(client);
  if (removed.size === 0) return broken;
  const valueQueries = new Map<string, Sqlite.Statement<[number], string>>();
  return broken.filter(({ table, rowid, fkid }) => {
    const name = `${table} ${fkid}`;
    let find = valueQueries.get(name);
    if (find === undefined) {
      const column = client
        .prepare<[string, number], string>('SELECT "from" FROM pragma_foreign_key_list(?) WHERE id = ?')
        .pluck()
        .get(table, fkid);
      find = client.prepare<[number], string>(`SELECT "${column}" FROM "${table}" WHERE rowid = ?`).pluck();
      valueQueries.set(name, find);
    }
    return !removed.has(find.get(rowid) ?? '');
  });
}

function listRemoved(client: Sqlite.Database): Set<string> {
  // A database that hasn't been migrated may lack the table.
  const isThere = hasTable(client, 'removals');
  return new Set(isThere ? client.prepare<[], string>('SELECT root_id FROM removals').pluck().all() : []);
}
