// The actor of a request, and facts about the request itself.
import type { ProjectRole } from '../permissions.ts';

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
      /** Of its owner. */
      mayWrite: boolean;
      factors: Factors;
    }
  | {
      kind: 'project_access_token';
      id: string;
      name: string;
      organizationId: string;
      projectId: string;
      /** The lower of the token's own role and its owner's current role. */
      role: ProjectRole;
      /** The developer whose role limits the token. */
      ownerId: string;
    };

export interface DeveloperActor {
  kind: 'developer';
  id: string;
  email: string;
  displayName: string;
  sessionId: string;
  /** Whether the address is verified. Required for everything that depends on the address. */
  isVerified: boolean;
  /** Whether the account can write and download: its address is verified, or an inviter vouched for it. */
  mayWrite: boolean;
  isOperator: boolean;
  factors: Factors;
  /** Whether the sign-in of the session began with a code or link in an email, which organizations can disallow. */
  isByEmail: boolean;
  /** Set only by a step-up, for the one call that it confirmed. */
  hasSteppedUp?: true;
}

/** Returns whether an account can write and download: its address is verified, or an inviter vouched for it. */
export function mayWrite(account: { emailVerifiedAt: number | null; vouchedAt: number | null }): boolean {
  return account.emailVerifiedAt !== null || account.vouchedAt !== null;
}

/** The second factors of an account, for the organization's MFA policy. */
export interface Factors {
  hasTotp: boolean;
  hasPasskey: boolean;
}

export interface RequestFacts {
  id: string;
  method: string;
  /** The client's address according to trusted proxies. */
  ipAddress: string | null;
  userAgent: string | null;
  acceptLanguage: string | null;
  /** Returns any other header by its lower-case name, such as cookies and the origin. */
  header(name: string): string | undefined;
  /** The query string as it was sent, without the question mark, for signatures that cover it. */
  rawQuery?: string;
}

/** Returns the developer responsible for an actor's grants: for a project access token, its owner. */
export function responsibleIdOf(actor: Actor): string | null {
  return actor.kind === 'project_access_token' ? actor.ownerId : developerIdOf(actor);
}

/** Returns the developer behind an actor, or null. */
export function developerIdOf(actor: Actor): string | null {
  if (actor.kind === 'developer') return actor.id;
  return actor.kind === 'personal_access_token' ? actor.developerId : null;
}

/** Returns the account for rate limits: a person's tokens share the person's limits; a project access token has its own. */
export function accountOf(actor: Actor): string | undefined {
  if (actor.kind === 'personal_access_token') return actor.developerId;
  return 'id' in actor ? actor.id : undefined;
}
