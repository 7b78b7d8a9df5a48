// The filters of the list of builds, which are part of its address.

export const buildStatuses = ['active', 'revoked', 'all'] as const;
export type BuildStatusFilter = (typeof buildStatuses)[number];

export interface BuildFilters {
  /** Left out for active builds. */
  status?: Exclude<BuildStatusFilter, 'active'>;
}

/** Reads the filters from an address. Unknown values are ignored. */
export function readBuildFilters({ status }: Record<string, unknown>): BuildFilters {
  return status === 'revoked' || status === 'all' ? { status } : {};
}
