// App, Context and Tx: what every function gets as its first argument. No container, no module-level state.

import type { Logger } from 'pino';
import type { CleanupJobName } from '../cleanup-jobs.ts';
import type { Config } from '../config.ts';
import type { Db } from '../data/database.ts';
import type { DatabaseHealth } from '../data/health.ts';
import type { Integrity } from '../data/integrity.ts';
import type { Author, EventFacts, EventName } from '../events.ts';
import type { Language } from '../languages.ts';
import type { Clock } from '../lib/clock.ts';
import type { KeyLocks } from '../lib/key-locks.ts';
import type { ObjectPlace } from '../lib/storage-backends.ts';
import type { OrganizationRole, ProjectRole } from '../permissions.ts';
import type { Platform } from '../platforms.ts';
import type { AccessTokens } from '../runtime/access-token.ts';
import type { ClockGuard } from '../runtime/clock-guard.ts';
import type { Ids } from '../runtime/ids.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { RateLimits } from '../runtime/rate-limits.ts';
import type { Secrets } from '../runtime/secrets.ts';
import type { Tracing } from '../runtime/tracing.ts';
import type { Actor, DeveloperActor, RequestFacts } from './actor.ts';
import type { CredentialUse } from './credential-use.ts';
import type { RoutedStorage } from './storage.ts';

/** Created once in createServer and shared by all code of one server. */
export interface App {
  config: Config;
  db: Db;
  /** Whether the database accepts writes. */
  health: DatabaseHealth;
  /** Whether the database file is intact. */
  integrity: Integrity;
  clock: Clock;
  /** Detects clock jumps. */
  clockGuard: ClockGuard;
  ids: Ids;
  secrets: Secrets;
  accessTokens: AccessTokens;
  rateLimits: RateLimits;
  storage: RoutedStorage;
  /** Named locks, for asynchronous work that must not run concurrently. */
  locks: KeyLocks;
  jobs: Jobs;
  /** Undefined if the configuration disables metrics. */
  metrics: Metrics | undefined;
  /** Undefined if no collector is configured. */
  tracing: Tracing | undefined;
  credentialUse: CredentialUse;
  /** All cleanup jobs. */
  sweeps: readonly Sweep[];
  /** Domain rules for rows that are deleted because of another row. */
  removalRules: RemovalRules;
  /** The owner domain of each kind of stored object. */
  objectOwners: readonly ObjectOwner[];
  /** Domain code that runs in transactions of other domains. */
  hooks: Hooks;
  /** Long-lived parts of domains. */
  parts: Parts;
  log: Logger;
  fetch: typeof fetch;
  /** The https listener. Only set if the server terminates TLS. */
  https?: {
    /** Renews the server's certificate if it's due. */
    renew(): Promise<void>;
    /** Returns the last active certificate of the configured mode; undefined before the first one was issued. */
    certificate(): CertificateInUse | undefined;
  };
  /** Rejects transactions that change rows without recording an event. On in tests. */
  isRecordingEnforced: boolean;
}

export interface CertificateInUse {
  names: readonly string[];
  /** Milliseconds since the epoch. */
  startsAt: number;
  expiresAt: number;
}

export interface Context extends App {
  actor: Actor;
  request: RequestFacts;
  /**
   * Runs a synchronous function in one database transaction. Errors roll everything back. Nested calls join the transaction.
   * `bookkeeping` declares that the changes have no audit row on purpose, `removes` that `removeRow` is called. With `removes`,
   * the function may run twice, the second time after a rollback.
   */
  transact<T>(work: (tx: Tx) => T extends PromiseLike<unknown> ? never : T, options?: TransactOptions): T;
  /**
   * Repeats the access check of the request, for operations that wait for something before they change anything: the caller may have
   * lost the access since, or the organization may have been locked. Call it right before the change, without an await in between.
   * Does nothing outside of operations that require a credential.
   */
  confirmAccess(): void;
}

export interface TransactOptions {
  bookkeeping?: true;
  removes?: true;
}

export interface OrganizationFacts {
  id: string;
  /** The caller's role; undefined for project access tokens. */
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

/** A context whose actor has confirmed their identity again. Only second-factors/step-up.ts creates it. */
export interface SteppedUpContext extends DeveloperContext {
  actor: DeveloperActor & { hasSteppedUp: true };
}

export interface Tx extends Context {
  /** Time of the transaction, in milliseconds since the epoch. */
  now: number;
  /** Set in transactions with `removes`. */
  removal?: RemovalBudget;
  /** Writes the audit row and the outbox row of an event in this transaction. */
  record(event: EventName, facts: EventFacts): void;
  /** Adds an email to the outbox in this transaction. Returns its id. */
  mail(draft: MailDraft): string;
  /** Adds a job to the queue in this transaction. */
  enqueue(job: JobRequest): void;
}

export interface JobRequest {
  kind: string;
  payload?: Record<string, unknown>;
  /** If a waiting job has the same key, no job is added. */
  dedupeKey?: string;
  /** Milliseconds until the job is due. */
  delayMs?: number;
  maxAttempts?: number;
}

/** `stopping` aborts when the server stops. Long-running handlers should end then; the job is retried. */
export type JobHandler = (
  context: Context,
  payload: Record<string, unknown>,
  stopping: AbortSignal,
) => void | Promise<void>;

export interface Jobs {
  /** Registers a handler. Jobs of a lane run one at a time; lanes run concurrently. Slow jobs get a lane of their own. */
  register(kind: string, handler: JobHandler, lane?: string): void;
  /** Runs due jobs soon. */
  wake(): void;
  /** Runs until no job is due. For tests and a clean stop. */
  drain(): Promise<void>;
  /** Starts polling. `newContext` creates the context of each job. */
  start(app: App, newContext: () => Context): void;
  stop(): Promise<void>;
}

export interface Sweep {
  name: CleanupJobName;
  /** Cron pattern, UTC. */
  schedule: string;
  /** Whether to skip runs for a day after a clock jump, because age-based deletion can't be undone. */
  deletesByAge?: true;
  /** Whether a server with this configuration has no use for it, so that it's neither scheduled nor listed. */
  isUnused?(config: Config): boolean;
  /** Does one bounded run and returns the number of deleted items. Must be idempotent and safe to interrupt. */
  run(ctx: Context): number | Promise<number>;
}

/** An email in one language. */
export interface MailContent {
  subject: string;
  text: string;
  html: string;
}

/** Composes an email in a language. */
export type LocalizedMail = (language: Language) => MailContent;

export interface MailDraft {
  /** The kind of email, such as `password_reset`. Cooldowns count per kind and recipient. */
  kind: string;
  to: string;
  content: LocalizedMail;
  /** The recipient's language, if the caller has read it already. By default, it is looked up. */
  language?: Language;
  /** Extra headers, such as List-Unsubscribe. Values must be single lines from trusted code. */
  headers?: Record<string, string>;
  /** Whether this is one of many emails. Bulk emails have a queue of their own, so that they don't delay single emails. */
  isBulk?: boolean;
}

/** A raw database row, with SQL column names. */
export type RawRow = Record<string, string | number | null>;

export interface Removal {
  rootTable: string;
  rootId: string;
  author: Author;
  facts: Record<string, string | null>;
}

/** Domain rules that extend the foreign keys. */
export interface RemovalRules {
  /** Called before each row of a table is deleted because of another row. Records events and queues objects for deletion. */
  rows: Record<string, (tx: Tx, row: RawRow, author: Author) => void>;
  /** What deleting a row costs, in rows, by table; 1 for others. Triggers change more rows with it. */
  costs: Record<string, number>;
  /** Columns cleared together with a reference, by `table.column` of the reference. */
  clearedWith: Record<string, readonly string[]>;
  /** Deletes up to `max` rows that belong to a row without a foreign key to it. Returns what that cost, in rows; 0 if none is left. */
  unreferenced: Record<string, (tx: Tx, removal: Removal, max: number) => number>;
  /** Tables that are emptied first, because they grant access or claim names. */
  first: readonly string[];
  /** Tables that are emptied together with the row: few rows that are unique across rows like it, or decide who signs in. */
  claims: readonly string[];
}

/** The remaining budget of a step, in transactions with `removes`. */
export interface RemovalBudget {
  rows: number;
  /** Deadline of the step, by `performance.now()`. Checked after something was deleted. */
  endsAt: number;
  /** Whether foreign keys are off, so that rows can be left to the job. */
  mayLeaveRows: boolean;
}

/** Stored objects that belong to rows of one domain. */
export interface ObjectOwner {
  /** Prefix of the objects' keys. */
  prefix: string;
  /** Whether the objects can be in containers of organizations. */
  inContainers?: true;
  /** Returns the keys without a row. Ignores keys in a format that the domain doesn't use. */
  findOrphans(app: Pick<App, 'db' | 'clock'>, keys: readonly string[]): readonly string[];
}

/** A role change of a developer, in one organization or in all if none is given. */
export interface RoleChange {
  developerId: string;
  organizationId?: string;
  /** The organization or project that the person is removed from. */
  removedFrom?: string;
}

/** A new device of an organization. */
export type AddedDevice = { readonly id: string; readonly organizationId: string };

/** A package whose bytes are in another place from now on. */
export interface PackageMove {
  organizationId: string;
  bytes: number;
  from: ObjectPlace;
  to: ObjectPlace;
}

/** Domain code that runs in transactions of other domains, which must not import it. */
export interface Hooks {
  /** Called before a developer's roles change. The returned functions are called after the change. */
  roleChange: readonly ((tx: Tx, change: RoleChange) => () => void)[];
  /**
   * Called when the owner of an address takes over an account that another person may have created. Ends what that person gave
   * to others or can still use without signing in.
   */
  accountTakenOver: readonly ((tx: Tx, developerId: string) => void)[];
  /** Called after the current release of a channel may have changed, before `releaseCreated`. */
  currentChanged: readonly ((tx: Tx, channelId: string) => void)[];
  /** Called after an organization was created with its first member. */
  organizationCreated: readonly ((tx: Tx, organizationId: string) => void)[];
  /** Called after the number of an organization's members has changed. */
  membersChanged: readonly ((tx: Tx, organizationId: string) => void)[];
  /** Called after the row of an organization was deleted. */
  organizationRemoved: readonly ((tx: Tx, organizationId: string) => void)[];
  /** Called after a device was registered with an organization. */
  deviceAdded: readonly ((tx: Tx, device: AddedDevice) => void)[];
  /** Called after a release was created in a channel with notifications. */
  releaseCreated: readonly ((tx: Tx, releaseId: string) => void)[];
  /** Called after a package was moved to another backend or container. */
  packageMoved: readonly ((tx: Tx, move: PackageMove) => void)[];
}

/**
 * A long-lived part of one domain, such as a pool of worker threads. Calling it with a context returns the part of that app.
 * Parts are opened with the app in list order, and closed in reverse order.
 */
export interface Part<Value> {
  (ctx: Pick<App, 'parts'>): Value;
  open(app: App): Value | Promise<Value>;
  /** Called when a server starts. */
  start?(value: Value, newContext: () => Context): void;
  close?(value: Value): void | Promise<void>;
}

/** The parts of an app by their declaration. */
type Parts = Map<object, unknown>;
