// App, Context and Tx: what every function gets as its first argument. No container, no module-level state.

import type { Logger } from 'pino';
import type { CleanupJobName } from '../cleanup-jobs.ts';
import type { Config } from '../config.ts';
import type { Db } from '../data/database.ts';
import type { DatabaseHealth } from '../data/health.ts';
import type { Integrity } from '../data/integrity.ts';
import type { Author, EventFacts, EventName } from '../events.ts';
import type { Clock } from '../lib/clock.ts';
import type { KeyLocks } from '../lib/key-locks.ts';
import type { OrganizationRole, ProjectRole } from '../permissions.ts';
import type { Platform } from '../platforms.ts';
import type { AccessTokens } from '../runtime/access-token.ts';
import type { ClockGuard } from '../runtime/clock-guard.ts';
import type { Ids } from '../runtime/ids.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { RateLimits } from '../runtime/rate-limits.ts';
import type { Secrets } from '../runtime/secrets.ts';
import type { Actor, DeveloperActor, RequestFacts } from './actor.ts';
import type { CredentialUse } from './credential-use.ts';
import type { Storage } from './storage.ts';

/** Built once in createServer; shared by everything in one server. */
export interface App {
  config: Config;
  db: Db;
  /** Whether the database takes writes. */
  health: DatabaseHealth;
  /** Whether the database file was found intact. */
  integrity: Integrity;
  clock: Clock;
  /** Notices that the clock jumped. */
  clockGuard: ClockGuard;
  ids: Ids;
  secrets: Secrets;
  accessTokens: AccessTokens;
  rateLimits: RateLimits;
  storage: Storage;
  /** Locks on things by name, for work that must not run twice at once and waits for others in between. */
  locks: KeyLocks;
  jobs: Jobs;
  /** Undefined when the configuration turns metrics off. */
  metrics: Metrics | undefined;
  credentialUse: CredentialUse;
  /** Every clean-up, by the names of completions 10.26. */
  sweeps: readonly Sweep[];
  /** What domains do when rows of theirs are deleted because of another row. */
  removalRules: RemovalRules;
  /** Which domain has which objects in the storage. */
  objectOwners: readonly ObjectOwner[];
  /** What domains do in the transactions of others. */
  hooks: Hooks;
  /** The long-lived parts of domains. */
  parts: Parts;
  log: Logger;
  fetch: typeof fetch;
  /** Renews the server's certificate; only where https is served. */
  https?: { renew(): Promise<void> };
  /** Refuses a transaction that changes rows and records nothing; on in tests. */
  isRecordingEnforced: boolean;
}

export interface Context extends App {
  actor: Actor;
  request: RequestFacts;
  /**
   * Runs a synchronous function in one database transaction; what it throws rolls everything back. Nested calls join.
   * `bookkeeping` declares that changes are made without an audit row on purpose, `removes` that `removeRow` is called. Then
   * the function may run twice, the second time after everything was rolled back.
   */
  transact<T>(work: (tx: Tx) => T extends PromiseLike<unknown> ? never : T, options?: TransactOptions): T;
}

export interface TransactOptions {
  bookkeeping?: true;
  removes?: true;
}

export interface OrganizationFacts {
  id: string;
  /** The caller's role; undefined for a project access token. */
  role: OrganizationRole | undefined;
}

export interface OrganizationContext extends Context {
  organization: OrganizationFacts;
}

export interface ProjectContext extends OrganizationContext {
  project: { id: string; platform: Platform; role: ProjectRole };
}

/** A context whose actor signed in interactively. */
export interface DeveloperContext extends Context {
  actor: DeveloperActor;
}

/** A context whose actor has shown again what the account has; made by second-factors/step-up.ts alone. */
export interface SteppedUpContext extends DeveloperContext {
  actor: DeveloperActor & { hasSteppedUp: true };
}

export interface Tx extends Context {
  /** One moment for the whole transaction, in milliseconds since the epoch. */
  now: number;
  /** Set in transactions that were declared with `removes`. */
  removal?: RemovalBudget;
  /** Writes the audit row and the outbox rows of an event, in this transaction. */
  record(event: EventName, facts: EventFacts): void;
  /** Puts a mail into the outbox, in this transaction. */
  mail(draft: MailDraft): void;
  /** Puts a job into the queue, in this transaction. */
  enqueue(job: JobRequest): void;
}

export interface JobRequest {
  kind: string;
  payload?: Record<string, unknown>;
  /** Collapses onto a waiting job with the same key. */
  dedupeKey?: string;
  /** Milliseconds from now until it may run. */
  delayMs?: number;
  maxAttempts?: number;
}

/** `stopping` aborts when the server stops: a handler that waits for others breaks off, and its job is tried again. */
export type JobHandler = (
  context: Context,
  payload: Record<string, unknown>,
  stopping: AbortSignal,
) => void | Promise<void>;

export interface Jobs {
  /** Jobs of one lane run one after another, lanes run beside each other: what waits for others gets a lane of its own. */
  register(kind: string, handler: JobHandler, lane?: string): void;
  /** Looks for due jobs soon. */
  wake(): void;
  /** Runs until no due job is left; for tests and for a clean stop. */
  drain(): Promise<void>;
  /** Starts polling; `newContext` makes the context that each job runs in. */
  start(app: App, newContext: () => Context): void;
  stop(): Promise<void>;
}

export interface Sweep {
  name: CleanupJobName;
  /** Cron pattern, UTC. */
  schedule: string;
  /** Not run for a day after the clock jumped: it deletes by age what nobody can bring back. */
  deletesByAge?: true;
  /** Does one bounded run; answers how many things it removed. Safe to run twice and to break off anywhere. */
  run(ctx: Context): number | Promise<number>;
}

export interface MailDraft {
  /** What sort of mail it is, such as `password_reset`; cooldowns count per kind and recipient. */
  kind: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Header lines of its own, such as List-Unsubscribe. Values are ours, of one line. */
  headers?: Record<string, string>;
  /** One of many: it waits behind nobody's single mails, and nobody's behind it. */
  isBulk?: boolean;
}

/** A row as it is in the database: columns by their SQL names. */
export type RawRow = Record<string, string | number | null>;

export interface Removal {
  rootTable: string;
  rootId: string;
  author: Author;
  facts: Record<string, string | null>;
}

/** What the domains add to what the references say. */
export interface RemovalRules {
  /** Runs before each row of a table is deleted because of another row: records events, queues objects for deletion. */
  rows: Record<string, (tx: Tx, row: RawRow, author: Author) => void>;
  /** Columns that are cleared together with a reference, by `table.column` of the reference. */
  clearedWith: Record<string, readonly string[]>;
  /** Deletes up to `most` rows that belong to a row of a table without referring to it. Returns the number deleted. */
  unreferenced: Record<string, (tx: Tx, removal: Removal, most: number) => number>;
  /** Tables that are emptied first: what grants access or claims a name. */
  first: readonly string[];
}

/** What is left of a step. Part of a transaction that was declared as one that removes. */
export interface RemovalBudget {
  rows: number;
  /** Whether foreign keys are off, so that rows may be left for the job. */
  mayLeaveRows: boolean;
}

/** Objects of the storage that belong to rows of one domain. */
export interface ObjectOwner {
  /** What the keys of its objects begin with. */
  prefix: string;
  /** Those of the keys that no row refers to. Keys of a form that the domain doesn't use are left alone. */
  findOrphans(app: Pick<App, 'db' | 'clock'>, keys: readonly string[]): readonly string[];
}

/** Whose roles change: in one organization, or in all if none is given. */
export interface RoleChange {
  developerId: string;
  organizationId?: string;
}

/** What domains do in a transaction of another domain that must not know them. */
export interface Hooks {
  /** Called before the roles of a developer change; what they return is called after the change. */
  roleChange: readonly ((tx: Tx, change: RoleChange) => () => void)[];
  /** Called when a release was created in a channel whose testers are notified. */
  releaseCreated: readonly ((tx: Tx, releaseId: string) => void)[];
}

/**
 * A long-lived part of one domain, such as a pool of worker threads. Called with a context it returns the part of that app.
 * Parts are opened with the app, in the order of their list, and closed in the reverse order.
 */
export interface Part<Value> {
  (ctx: Pick<App, 'parts'>): Value;
  open(app: App): Value | Promise<Value>;
  /** Called when a server starts. */
  start?(value: Value, newContext: () => Context): void;
  close?(value: Value): void | Promise<void>;
}

/** Every part of an app by its declaration. */
export type Parts = Map<object, unknown>;
