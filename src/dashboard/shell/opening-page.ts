// Whether another page is being opened.
import type { useRouter } from '@tanstack/react-router';

/** Returns whether another page is still loading. A change of the present page's address would cancel that. */
export function isOpeningPage({ state, latestLocation }: ReturnType<typeof useRouter>): boolean {
  const { resolvedLocation = latestLocation } = state;
  return latestLocation.pathname !== resolvedLocation.pathname;
}
