// Entry of the thread that writes the write-ahead log into the database file.
import Sqlite from 'better-sqlite3';
import { checkpointNow } from '../data/checkpoints.ts';
import type { CheckpointOutcome, CheckpointTask } from './checkpoint-thread.ts';
import { serveTasks } from './task-thread.ts';

serveTasks(({ file, nativeBinding }: CheckpointTask): CheckpointOutcome => {
  try {
    const client = new Sqlite(file, { fileMustExist: true, ...(nativeBinding === undefined ? {} : { nativeBinding }) });
    try {
      client.pragma('synchronous = FULL');
      checkpointNow(client);
    } finally {
      client.close();
    }
    return {};
  } catch (error) {
    if (error instanceof Sqlite.SqliteError) return { code: error.code, message: error.message };
    throw error;
  }
});
