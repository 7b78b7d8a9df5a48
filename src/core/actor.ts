// Who makes a request, and what is known of the request itself.
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

export interface DeveloperActor {
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

/** The developer who answers for what an actor gives others: for a project access token, its owner. */
export function responsibleIdOf(actor: Actor): string | null {
  return actor.kind === 'project_access_token' ? actor.ownerId : developerIdOf(actor);
}

/** The developer behind an actor, if one is. */
export function developerIdOf(actor: Actor): string | null {
  if (actor.kind === 'developer') return actor.id;
  return actor.kind === 'personal_access_token' ? actor.developerId : null;
}

/** The account whose rate limits apply: tokens of a person share the person's; a project access token has its own. */
export function accountOf(actor: Actor): string | undefined {
  if (actor.kind === 'personal_access_token') return actor.developerId;
  return 'id' in actor ? actor.id : undefined;
}
