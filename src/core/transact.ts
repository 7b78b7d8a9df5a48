// Contexts and their transactions: events are recorded in the transaction that causes them.

import { prepared } from '../data/database.ts';
import { clearAfterForeignCommit } from '../data/row-cache.ts';
import type { Actor, RequestFacts } from './actor.ts';
import type { App, Context, RemovalBudget, TransactOptions, Tx } from './context.ts';
import { enqueueJob } from './job-store.ts';
import { writeMail } from './mail-outbox.ts';
import { writeEvent } from './record.ts';
import { newBudget, RowsLeftError } from './removal.ts';

const totalChanges = prepared((db) => db.$client.prepare<[], number>('SELECT total_changes()').pluck());

/**
 * Creates a context for one request or one run of a job, or for another actor of a request from its context. It copies the app
 * instead of inheriting from it, because inheritance makes every property access many times slower. The copy is the first
 * property, because V8 copies an object eight times faster there than after other properties.
 */
export function createContext(app: App | Context, actor: Actor, request: RequestFacts): Context {
  const context: Context = {
    ...app,
    confirmAccess: 'confirmAccess' in app ? app.confirmAccess : () => undefined,
    actor,
    request,
    transact<T>(work: (tx: Tx) => T, options: TransactOptions = {}): T {
      return options.removes === true ? runRemoval(context, work, options) : runTransaction(context, work, options);
    },
  };
  return context;
}

/** Creates a context for the program's own work. */
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
 * Runs a transaction that deletes rows. If more rows reference a row than one step may delete, it runs again with foreign keys
 * off: the row is deleted, and the rows that reference it are left to a job (core/removal.ts). Foreign keys can only be turned
 * off between transactions. No other code finds them off, because nothing here awaits.
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
    // Everything is left to the job, because the first attempt has used the time of one step.
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
    now: context.clock.time(),
    ...(removal === undefined ? {} : { removal }),
    transact: <U>(inner: (tx: Tx) => U): U => inner(tx),
    record(...[event, facts]: Parameters<Tx['record']>) {
      recorded += 1;
      writeEvent(tx, event, facts);
      mustWake = true;
    },
    mail(...[draft]: Parameters<Tx['mail']>) {
      mustWake = true;
      return writeMail(tx, draft);
    },
    enqueue(...[job]: Parameters<Tx['enqueue']>) {
      enqueueJob(tx, job);
      mustWake = true;
    },
  };
  const result = client
    .transaction(() => {
      clearAfterForeignCommit(context);
      const before = totalChanges(context).get();
      const answer = work(tx);
      if (answer instanceof Promise) {
        throw new Error('A transaction must be synchronous, so that no other work runs in between');
      }
      if (context.isRecordingEnforced && !isBookkeeping && recorded === 0 && totalChanges(context).get() !== before) {
        throw new Error('A transaction changed rows but recorded no event; record one or declare it as bookkeeping');
      }
      return answer;
    })
    .immediate();
  if (mustWake) context.jobs.wake();
  return result;
}
