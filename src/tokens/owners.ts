// Notifies the admins of a project when access tokens stop working or lose permissions because of their owner, so that
// pipelines don't break silently.
import { randomUUID } from 'node:crypto';
import type { Context, RoleChange, Tx } from '../core/context.ts';
import { actingRole } from '../data/token-owner-roles.ts';
import { findDeveloper } from '../developers/store.ts';
import { claimMail } from '../mail/cooldowns.ts';
import { tokenOwnerMail } from '../mail/templates/organizations.ts';
import { findOrganization } from '../organizations/store.ts';
import { type ProjectRole, projectRoleReaches } from '../permissions.ts';
import { findProject } from '../projects/store.ts';
import { listProjectAdmins } from './admins.ts';
import { clearOwner, listOwnedTokens, type OwnedTokenRow } from './store.ts';

export const TOKEN_OWNER_JOB = 'tell-of-limited-tokens';
const ADMINS_PER_STEP = 100;
/** Tokens named in an email. For more it contains the number. */
const MAX_NAMED = 20;

/** A token whose owner lost a role, and its remaining role. */
interface LimitedToken {
  name: string;
  role: ProjectRole;
  /** Null if it stopped working. */
  acting: ProjectRole | null;
}

interface Notice {
  /** Id of this notice. Each admin gets one email for it. */
  id: string;
  projectId: string;
  /** The name of the owner. */
  owner: string;
  /** Whether the owner lost the account instead of a role; missing in older jobs. */
  wasTakenOver?: boolean;
  tokens: LimitedToken[];
  total: number;
  /** Admins up to this id have been notified. */
  after: string;
}

/**
 * Compares the tokens of a developer before and after a role change, and queues emails about those that lost
 * permissions.
 */
export function watchOwnedTokens(tx: Tx, { developerId, organizationId }: RoleChange): () => void {
  const before = listOwnedTokens(tx, developerId, organizationId);
  return () => notifyOfWeakerTokens(tx, developerId, before, listOwnedTokens(tx, developerId, organizationId));
}

/**
 * Stops the tokens of an account that another person may have created, until a project admin takes them over: that person knows
 * their secrets. Queues emails to the admins.
 */
export function disownTokens(tx: Tx, developerId: string): void {
  const before = listOwnedTokens(tx, developerId);
  clearOwner(tx, developerId);
  notifyOfWeakerTokens(tx, developerId, before, [], { wasTakenOver: true });
}

/** Queues an email to the admins of each project in which tokens of an owner lost permissions. */
function notifyOfWeakerTokens(
  tx: Tx,
  ownerId: string,
  before: readonly OwnedTokenRow[],
  now: readonly OwnedTokenRow[],
  facts: Pick<Notice, 'wasTakenOver'> = {},
): void {
  const acting = new Map(now.map((row) => [row.id, actingRole(row.role, row)]));
  const limited = before.filter((row) => isLower(acting.get(row.id), actingRole(row.role, row)));
  const owner = findDeveloper(tx, ownerId)?.displayName ?? '';
  for (const [projectId, rows] of Map.groupBy(limited, (row) => row.projectId)) {
    const tokens = rows
      .slice(0, MAX_NAMED)
      .map(({ id, name, role }) => ({ name, role, acting: acting.get(id) ?? null }));
    enqueueNotice(tx, { id: randomUUID(), projectId, owner, tokens, total: rows.length, after: '', ...facts });
  }
}

function isLower(role: ProjectRole | undefined, than: ProjectRole | undefined): boolean {
  return than !== undefined && (role === undefined || !projectRoleReaches(role, than));
}

function enqueueNotice(tx: Tx, notice: Notice): void {
  tx.enqueue({ kind: TOKEN_OWNER_JOB, payload: { ...notice } });
}

/** The job: emails one batch of admins. Running it twice sends no email twice. */
export function runTokenOwnerJob(ctx: Context, payload: Record<string, unknown>): void {
  // Only this file writes these payloads.
  ctx.transact((tx) => mailAdmins(tx, payload as unknown as Notice), { bookkeeping: true });
}

function mailAdmins(tx: Tx, notice: Notice): void {
  const project = findProject(tx, notice.projectId);
  const organization = project && findOrganization(tx, project.organizationId);
  if (project === undefined || organization === undefined) return;
  const { id: projectId, organizationId, name: projectName } = project;
  const place = { projectId, projectName, organizationName: organization.name };
  const content = tokenOwnerMail(tx.config.server.base_url, { ...place, ...notice });
  const admins = listProjectAdmins(tx, { organizationId, projectId, after: notice.after, limit: ADMINS_PER_STEP });
  for (const { email } of admins) {
    if (claimMail(tx, `token_owner ${notice.id}`, email)) tx.mail({ kind: 'token_owner', to: email, content });
  }
  const last = admins.at(-1);
  if (last !== undefined && admins.length === ADMINS_PER_STEP) enqueueNotice(tx, { ...notice, after: last.id });
}
