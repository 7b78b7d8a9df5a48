// What of the organization's signatures ends soon.
import type { ExpiringItem } from '../../expiry/schema.ts';
import { useReadAll } from '../api/api-context.ts';
import { useOrganization } from '../shell/me.ts';

/** Profiles and certificates that end within so many days, the first to end first; what has ended is among them. */
export function useExpiring(days: number) {
  return useReadAll<ExpiringItem>(`/organizations/${useOrganization().identifier}/expiring`, { query: { days } });
}

/** How urgent one is, as a colour. */
export function colorOf({ is_expired: isExpired, days_left: days }: ExpiringItem): string {
  if (isExpired || days < 7) return 'red';
  return days < 30 ? 'yellow' : 'gray';
}
