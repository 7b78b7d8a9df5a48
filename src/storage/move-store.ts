// The last move of objects to another backend, for the operator.
import type { App, Context } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { SECOND } from '../lib/clock.ts';
import type { StorageBackend } from '../lib/storage-backends.ts';

/** How often the progress is saved, because each time takes a transaction. */
const SAVE_EVERY_MS = SECOND;

export interface MoveRow {
  to: StorageBackend;
  organizationId: string | null;
  startedAt: number;
  seenAt: number;
  finishedAt: number | null;
  objects: number;
  done: number;
  moved: number;
  bytes: number;
  failed: number;
}

const lastMove = prepared((db) =>
  db.$client.prepare<[], MoveRow>(
    `SELECT to_backend AS "to", organization_id AS organizationId, started_at AS startedAt, seen_at AS seenAt,
      finished_at AS finishedAt, objects, done, moved, bytes, failed FROM object_moves`,
  ),
);

export function findLastMove(app: Pick<App, 'db'>): MoveRow | undefined {
  return lastMove(app).get();
}

interface Counts {
  moved: number;
  bytes: number;
  failed: number;
}

/** Records the start of a move, instead of the last one. Returns what records its progress and its end. */
export function beginMove(
  ctx: Context,
  { to, organizationId, objects }: { to: StorageBackend; organizationId: string | undefined; objects: number },
) {
  const { $client: client } = ctx.db;
  const id = ctx.ids.next();
  const save = client.prepare(
    `UPDATE object_moves SET seen_at = @now, finished_at = @finishedAt, done = @done, moved = @moved, bytes = @bytes,
      failed = @failed WHERE id = @id`,
  );
  const now = () => ctx.clock.time();
  let savedAt = now();
  ctx.transact(
    (tx) => {
      client.prepare('DELETE FROM object_moves').run();
      client
        .prepare(
          `INSERT INTO object_moves (id, to_backend, organization_id, started_at, seen_at, objects, done, moved, bytes, failed)
            VALUES (?, ?, ?, ?, ?, ?, 0, 0, 0, 0)`,
        )
        .run(id, to, organizationId ?? null, tx.now, tx.now, objects);
    },
    { bookkeeping: true },
  );
  const write = (done: number, { moved, bytes, failed }: Counts, finishedAt: number | null): void => {
    savedAt = now();
    save.run({ id, now: savedAt, finishedAt, done, moved, bytes, failed });
  };
  return {
    save(done: number, counts: Counts): void {
      if (now() - savedAt >= SAVE_EVERY_MS) write(done, counts, null);
    },
    /** A move that stopped isn't finished: the next one continues. */
    end: (done: number, counts: Counts, isFinished: boolean) => write(done, counts, isFinished ? now() : null),
  };
}
