// Reading something again and again while somebody waits for it: soon where there is news, seldom where there is none.
import { useEffect, useRef, useState } from 'react';
import type { Query } from '../api/api-url.ts';
import { useRead } from '../api/hooks.ts';

const FIRST_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 60_000;

/** Pause before the next look when the last so many looks were alike, in milliseconds. */
export function pauseAfter(alike: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 1.5 ** alike);
}

interface AttentiveOptions<Answer> {
  query?: Query;
  isEnabled?: boolean;
  /** What would be news in an answer; all of it unless said. */
  newsOf?(answer: Answer): string;
}

/** Reads one thing, again the more seldom the longer nothing is new; not while the window is hidden. */
export function usePollingRead<Answer>(path: string, options: AttentiveOptions<Answer> = {}) {
  const { query = {}, isEnabled = true, newsOf = JSON.stringify } = options;
  const [alike, setAlike] = useState(0);
  const news = useRef<string>(undefined);
  const read = useRead<Answer>(path, { query, isEnabled, intervalMs: pauseAfter(alike) });
  const { data, dataUpdatedAt } = read;
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each reading, also where it says the same
  useEffect(() => {
    if (data === undefined) return;
    const seen = newsOf(data);
    setAlike((before) => (seen === news.current ? before + 1 : 0));
    news.current = seen;
  }, [dataUpdatedAt]);
  return read;
}
