// App, Context and Tx: what every function gets as its first argument. No container, no module-level state.
import type { Logger } from 'pino';
import type { FindPlace } from '../accounts/location-database.ts';
import type { Passwords } from '../accounts/password.ts';
import type { HeadKeeper } from '../audit/noted-heads.ts';
import type { Config } from '../config.ts';
import type { Db } from '../data/database.ts';
import type { DatabaseHealth } from '../data/health.ts';
import type { Integrity } from '../data/integrity.ts';
import type { EventFacts, EventName } from '../events.ts';
import type { Clock } from '../lib/clock.ts';
import type { KeyLocks } from '../lib/key-locks.ts';
import type { OrganizationRole, ProjectRole } from '../permissions.ts';
import type { AccessTokens } from '../runtime/access-token.ts';
import type { ClockGuard } from '../runtime/clock-guard.ts';
import type { Ids } from '../runtime/ids.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { RateLimits } from '../runtime/rate-limits.ts';
import type { Secrets } from '../runtime/secrets.ts';
import type { InstallJournal } from '../sdk/journal.ts';
import type { Storage } from '../storage/storage.ts';
import type { DeliveryRunner } from '../webhooks/runner.ts';
import type { Bookkeeper } from './bookkeeper.ts';
import type { Inspector } from './inspector.ts';
import type { JobRequest, Jobs } from './jobs.ts';
import type { MailDraft } from './mail-outbox.ts';
import type { RemovalBudget, RemovalRules } from './removal.ts';
import type { SamlReader } from './saml-reader.ts';

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
  passwords: Passwords;
  /** Undefined when the configuration names no location database. */
  findPlace: FindPlace | undefined;
  rateLimits: RateLimits;
  storage: Storage;
  /** Locks on things by name, for work that must not run twice at once and waits for others in between. */
  locks: KeyLocks;
  inspector: Inspector;
  samlReader: SamlReader;
  jobs: Jobs;
  /** Sends the deliveries of webhooks. */
  webhooks: DeliveryRunner;
  /** Undefined when the configuration turns metrics off. */
  metrics: Metrics | undefined;
  bookkeeper: Bookkeeper;
  installJournal: InstallJournal;
  /** Notes where the audit chains end, beside the database. */
  auditHeads: HeadKeeper;
  /** What domains do when rows of theirs are deleted because of another row. */
  removalRules: RemovalRules;
  log: Logger;
  fetch: typeof fetch;
  /** Renews the server's certificate; only where https is served. */
  https?: { renew(): Promise<void> };
  /** Refuses a transaction that changes rows and records nothing; on in tests. */
  isRecordingEnforced: boolean;
}

export type Actor =
  | { kind: 'anonymous' }
  | { kind: 'system' }
  | DeveloperActor
  | {
      kind: 'personal_access_token';
      id: string;
      name: string;
      developerId: string;
      organizationId: string;
      scopes: bigint;
      isVerified: boolean;
      factors: Factors;
    }
  | {
      kind: 'project_access_token';
      id: string;
      name: string;
      organizationId: string;
      projectId: string;
      /** The lower of the token's own role and its owner's present one. */
      role: ProjectRole;
      /** The developer whose role limits it. */
      ownerId: string;
    };

interface DeveloperActor {
  kind: 'developer';
  id: string;
  email: string;
  displayName: string;
  sessionId: string;
  isVerified: boolean;
  isOperator: boolean;
  factors: Factors;
  /** Set by a step-up alone, for the one call that it was shown for. */
  hasSteppedUp?: true;
}

/** The second factors an account has, for the organization's MFA policy. */
export interface Factors {
  hasTotp: boolean;
  hasPasskey: boolean;
}

export interface RequestFacts {
  id: string;
  method: string;
  /** The client's address, as far as trusted proxies say. */
  ipAddress: string | null;
  userAgent: string | null;
  acceptLanguage: string | null;
  /** Any other header, named in lower case: cookies and where the request comes from. */
  header(name: string): string | undefined;
  /** The query as it was sent, without the question mark: what a signature over a query covers. */
  rawQuery?: string;
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
  project: { id: string; platform: 'ios' | 'android'; role: ProjectRole };
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

/** The developer who answers for what an actor gives others: for a project access token, its owner. */
export function responsibleIdOf(actor: Actor): string | null {
  return actor.kind === 'project_access_token' ? actor.ownerId : developerIdOf(actor);
}

/** The developer behind an actor, if one is. */
export function developerIdOf(actor: Actor): string | null {
  if (actor.kind === 'developer') return actor.id;
  return actor.kind === 'personal_access_token' ? actor.developerId : null;
}
