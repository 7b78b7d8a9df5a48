// What the page shows, kept in its address.
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { dayMs, utcDay } from '../../components/times.ts';
import { isOpeningPage } from '../../shell/opening-page.ts';
import { type Filters, noFilters } from './filters.ts';
import { type AuditSearch, readAuditSearch } from './search.ts';

/** How long the address waits for the next change, such as the next letter of a search: browsers limit how often it can change. */
const PAUSE_MS = 300;

/** An incomplete day is an empty string. */
export interface AuditView {
  kind: 'day' | 'range';
  day: string;
  from: string;
  to: string;
  filters: Filters;
}

/** Returns what the page shows at an address: without a period, the events of today. */
export function toView({ day, from, to, ...filters }: AuditSearch, now: number): AuditView {
  const today = utcDay(now);
  return {
    kind: day === undefined && (from !== undefined || to !== undefined) ? 'range' : 'day',
    day: day ?? today,
    from: from ?? utcDay(now - 7 * dayMs),
    to: to ?? today,
    filters: { ...noFilters, ...filters },
  };
}

/** Returns the address of what the page shows. It always has the period, because "today" is another day tomorrow. */
export function toSearch({ kind, day, from, to, filters }: AuditView): AuditSearch {
  return readAuditSearch({ ...(kind === 'day' ? { day } : { from, to }), ...filters });
}

/** Returns what the page shows, and a function that changes it. */
export function useAuditView(): [AuditView, (change: Partial<AuditView>) => void] {
  const router = useRouter();
  const navigate = useNavigate();
  const search = readAuditSearch(useSearch({ from: '/shell/audit' }));
  const address = JSON.stringify(search);
  const [view, setView] = useState(() => toView(search, Date.now()));
  const known = useRef(address);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(search);
  latest.current = search;
  useEffect(() => {
    // The address changes without this page too, by the link in the sidebar.
    if (address === known.current) return;
    known.current = address;
    clearTimeout(timer.current);
    setView(toView(latest.current, Date.now()));
  }, [address]);
  useEffect(() => () => clearTimeout(timer.current), []);
  function change(changed: Partial<AuditView>): void {
    const next = { ...view, ...changed };
    setView(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      if (isOpeningPage(router)) return;
      const wanted = toSearch(next);
      known.current = JSON.stringify(wanted);
      void navigate({ to: '/audit', search: wanted, replace: true, resetScroll: false });
    }, PAUSE_MS);
  }
  return [view, change];
}
