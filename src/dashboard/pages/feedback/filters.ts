// The filters of the list of feedback, which are part of its address.
import type { FeedbackSource } from '../../../feedback/schema.ts';

export const stateFilters = ['open', 'done', 'all'] as const;
export type StateFilter = (typeof stateFilters)[number];
const sources: readonly FeedbackSource[] = ['install_page', 'my_apps', 'sdk'];

export interface FeedbackFilters {
  /** Left out for open feedback. */
  state?: Exclude<StateFilter, 'open'>;
  /** Only feedback about this release. */
  release?: string;
  source?: FeedbackSource;
  /** Only this one, as links in messages have it. */
  feedback?: string;
}

/** Reads the filters from an address. Unknown values are ignored. */
export function readFeedbackFilters(search: Record<string, unknown>): FeedbackFilters {
  const { state, release, source, feedback } = search;
  const known = sources.find((name) => name === source);
  return {
    ...(state === 'done' || state === 'all' ? { state } : {}),
    ...(isId(release) ? { release } : {}),
    ...(known === undefined ? {} : { source: known }),
    ...(isId(feedback) ? { feedback } : {}),
  };
}

const isId = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f-]{36}$/i.test(value);
