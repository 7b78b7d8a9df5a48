// Contexts and their transactions: what happened is written in the transaction that did it.

import { prepared } from '../data/database.ts';
import type { Actor, RequestFacts } from './actor.ts';
import type { App, Context, RemovalBudget, TransactOptions, Tx } from './context.ts';
import { enqueueJob } from './jobs.ts';
import { writeMail } from './mail-outbox.ts';
import { writeEvent } from './record.ts';
import { newBudget, RowsLeftError } from './removal.ts';

const totalChanges = prepared((db) => db.$client.prepare<[], number>('SELECT total_changes()').pluck());

/**
 * A context for one request or one run of a job. A copy of the app, not an object that inherits from it: inheriting makes
 * every later look at a property many times slower.
 */
export function createContext(app: App, actor: Actor, request: RequestFacts): Context {
  const context: Context = {
    ...app,
    actor,
    request,
    transact<T>(work: (tx: Tx) => T, options: TransactOptions = {}): T {
      return options.removes === true ? runRemoval(context, work, options) : runTransaction(context, work, options);
    },
  };
  return context;
}

/** A context for what the program does by itself. */
export function systemContext(app: App): Context {
  return createContext(
    app,
    { kind: 'system' },
    {
      id: app.ids.next(),
      method: 'SYSTEM',
      ipAddress: null,
      userAgent: null,
      acceptLanguage: null,
      header: () => undefined,
    },
  );
}

/**
 * Runs a transaction that removes rows. When more refers to a row than one step may delete, it is run again with foreign keys
 * off: then the row goes, and what refers to it is left to a job (core/removal.ts). Foreign keys can only be turned off
 * between transactions; as nothing awaits, nobody else finds them off.
 */
function runRemoval<T>(context: Context, work: (tx: Tx) => T, options: TransactOptions): T {
  const { $client: client } = context.db;
  try {
    return runTransaction(context, work, options, newBudget(false));
  } catch (error) {
    if (!(error instanceof RowsLeftError)) throw error;
  }
  client.pragma('foreign_keys = OFF');
  try {
    // Everything is left to the job: the attempt above has used the time of one step.
    return runTransaction(context, work, options, { ...newBudget(true), rows: 0 });
  } finally {
    client.pragma('foreign_keys = ON');
  }
}

function runTransaction<T>(
  context: Context,
  work: (tx: Tx) => T,
  { bookkeeping: isBookkeeping = false }: { bookkeeping?: boolean },
  removal?: RemovalBudget,
): T {
  const { $client: client } = context.db;
  let recorded = 0;
  let mustWake = false;
  const tx: Tx = {
    ...context,
    now: context.clock.now().getTime(),
    ...(removal === undefined ? {} : { removal }),
    transact: <U>(inner: (tx: Tx) => U): U => inner(tx),
    record(...[event, facts]: Parameters<Tx['record']>) {
      recorded += 1;
      writeEvent(tx, event, facts);
      mustWake = true;
    },
    mail(...[draft]: Parameters<Tx['mail']>) {
      writeMail(tx, draft);
      mustWake = true;
    },
    enqueue(...[job]: Parameters<Tx['enqueue']>) {
      enqueueJob(tx, job);
      mustWake = true;
    },
  };
  const result = client
    .transaction(() => {
      const before = totalChanges(context).get();
      const answer = work(tx);
      if (answer instanceof Promise) {
        throw new Error('A transaction must be synchronous: nothing may interleave with it');
      }
      if (context.isRecordingEnforced && !isBookkeeping && recorded === 0 && totalChanges(context).get() !== before) {
        throw new Error('A transaction changed rows and recorded no event; record one or declare it bookkeeping');
      }
      return answer;
    })
    .immediate();
  if (mustWake) context.jobs.wake();
  return result;
}
