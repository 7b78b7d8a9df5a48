// References that lead nowhere, apart from those that a deletion under way will still remove.
import type Sqlite from 'better-sqlite3';

export interface BrokenReference {
  table: string;
  rowid: number;
  parent: string;
  fkid: number;
}

/** Every broken reference of a database; reads only. What belongs to a row in `removals` isn't broken, but not deleted yet. */
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
  // A database that waits for its migration has no such table yet.
  const hasTable = client.prepare("SELECT 1 FROM sqlite_master WHERE name = 'removals'").get() !== undefined;
  return new Set(hasTable ? client.prepare<[], string>('SELECT root_id FROM removals').pluck().all() : []);
}
