// A relative time, with the exact time as its title.
import { useSyncExternalStore } from 'react';
import { useLocale } from '../texts/locale.ts';
import { formatExact, formatRelative, startOfDay } from './times.ts';

const RENEW_MS = 30_000;

/** One timer for all times of a page: a long list shows and removes hundreds of them per second. */
const renewals = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function onRenewal(renew: () => void): () => void {
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of renewals) each();
  }, RENEW_MS);
  renewals.add(renew);
  return () => {
    renewals.delete(renew);
    if (renewals.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Returns the current time in milliseconds since the epoch, and renders again when it has moved on. */
export function useNow(): number {
  const renewed = useSyncExternalStore(onRenewal, () => now);
  return Math.max(renewed, Date.now());
}

/** Renders again when another day has begun in the user's time zone. */
export function useDays(): void {
  useSyncExternalStore(onRenewal, () => startOfDay(Date.now()));
}

/**
 * Renders a timestamp relative to now and keeps it current. Uses the browser's title instead of a tooltip, because
 * tables show hundreds of these.
 */
export function RelativeTime({ at }: { at: string }) {
  const { language } = useLocale();
  const current = useNow();
  const moment = Date.parse(at);
  return (
    <time dateTime={at} title={formatExact(moment, language)}>
      {formatRelative(moment, current, language)}
    </time>
  );
}

/** Renders a text with a timestamp in place of `{time}`, because languages have it at different places. */
export function TimeInText({ text, at }: { text: string; at: string }) {
  const [before, after] = text.split('{time}');
  return (
    <>
      {before}
      <RelativeTime at={at} />
      {after}
    </>
  );
}
