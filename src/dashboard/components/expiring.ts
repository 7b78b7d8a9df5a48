// Signatures of the organization that expire soon.
import type { ExpiringItem } from '../../expiry/schema.ts';
import { useReadAll } from '../api/hooks.ts';
import { useOrganization } from '../shell/current-user.ts';

/** Reads the profiles and certificates that have expired or expire within a number of days, earliest first. */
export function useExpiring(days: number) {
  return useReadAll<ExpiringItem>(`/organizations/${useOrganization().identifier}/expiring`, { query: { days } });
}

/** Returns the color for the urgency of a signature. */
export function expiryColor({ is_expired: isExpired, days_left: days }: ExpiringItem): string {
  if (isExpired || days < 7) return 'red';
  return days < 30 ? 'yellow' : 'gray';
}
