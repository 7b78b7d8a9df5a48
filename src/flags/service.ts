// Feature flags, which members of an organization can read and only the operator can set
// (docs/specification/organizations.md#feature-flags).
import type { App, Tx } from '../core/context.ts';
import { AppError } from '../lib/errors.ts';
import * as store from './store.ts';

interface FlagDefinition {
  default: boolean;
  /** Whether organizations can override it. */
  isPerOrganization: boolean;
}

/** All flags. */
const definitions = {
  new_org_signups_enabled: { default: true, isPerOrganization: false },
  beta_dashboard: { default: false, isPerOrganization: true },
} as const satisfies Record<string, FlagDefinition>;

export type FlagKey = keyof typeof definitions;
const flagKeys = Object.keys(definitions) as FlagKey[];

export interface FlagState {
  key: FlagKey;
  default: boolean;
  /** The value for the whole server; null for the default. */
  enabled: boolean | null;
  isArchived: boolean;
  organizations: { organizationId: string; enabled: boolean }[];
}

/** Returns the flags of an organization: all that aren't archived, each with its value. */
export function readFlags(app: Pick<App, 'db'>, organizationId: string): Partial<Record<FlagKey, boolean>> {
  const rows = store.listFlags(app);
  const flags: Partial<Record<FlagKey, boolean>> = {};
  for (const key of flagKeys) {
    const platform = rows.find((row) => row.key === key && row.organizationId === null);
    if (platform !== undefined && platform.archivedAt !== null) continue;
    const { isPerOrganization, default: byDefault } = definitions[key];
    const own = isPerOrganization
      ? rows.find((row) => row.key === key && row.organizationId === organizationId)
      : undefined;
    flags[key] = (own ?? platform)?.enabled ?? byDefault;
  }
  return flags;
}

/** Returns whether people can create organizations. */
export function allowsNewOrganizations(app: Pick<App, 'db'>): boolean {
  return readFlags(app, '').new_org_signups_enabled === true;
}

/** Throws `operation_not_allowed` if the operator has disabled creating organizations. */
export function requireNewOrganizations(app: Pick<App, 'db'>): void {
  if (allowsNewOrganizations(app)) return;
  throw new AppError('operation_not_allowed', 'Creating organizations is currently disabled');
}

/** Returns all flags for the operator. */
export function describeFlags(app: Pick<App, 'db'>): FlagState[] {
  const rows = store.listFlags(app);
  return flagKeys.map((key) => {
    const platform = rows.find((row) => row.key === key && row.organizationId === null);
    return {
      key,
      default: definitions[key].default,
      enabled: platform?.enabled ?? null,
      isArchived: platform !== undefined && platform.archivedAt !== null,
      organizations: rows.flatMap(({ key: other, organizationId, enabled }) =>
        other === key && organizationId !== null ? [{ organizationId, enabled }] : [],
      ),
    };
  });
}

/** Returns whether a text is the name of a flag. */
export function isFlagKey(key: string): key is FlagKey {
  return Object.hasOwn(definitions, key);
}

/**
 * Sets a flag for the platform (`null`) or for an organization. Throws `operation_not_allowed` for a flag that
 * organizations can't override.
 */
export function setFlag(tx: Tx, key: FlagKey, organizationId: string | null, enabled: boolean): void {
  if (organizationId !== null && !definitions[key].isPerOrganization) {
    throw new AppError('operation_not_allowed', `${key} can only be set for the whole server`);
  }
  const id = store.writeFlag(tx, key, organizationId, { enabled });
  recordChange(tx, id, organizationId, { key, enabled });
}

/** Archives a flag, or restores it. */
export function archiveFlag(tx: Tx, key: FlagKey, isArchived: boolean): void {
  const enabled = store.findFlag(tx, key, null)?.enabled ?? definitions[key].default;
  const id = store.writeFlag(tx, key, null, { enabled, archivedAt: isArchived ? tx.now : null });
  recordChange(tx, id, null, { key, archived: isArchived });
}

function recordChange(tx: Tx, id: string, organizationId: string | null, details: Record<string, unknown>): void {
  tx.record('feature_flag.edited', { identifier: id, organizationId, details });
}
