// What a build takes over from the body of initiate: it goes to the pending upload, to the build, and to the response.
import type { InitiateBuild } from './schema.ts';
import type { SourceInput } from './source-schema.ts';
import { type BuildSource, labelKey } from './source-schema.ts';
import type { BuildRow } from './store.ts';

/** What a pending upload keeps for its build. */
export interface Origin {
  source: BuildSource | null;
  labels: readonly string[];
}

type SourceColumns = Pick<
  BuildRow,
  | 'sourceCommit'
  | 'sourceBranch'
  | 'sourceTag'
  | 'sourcePullRequest'
  | 'sourceRepositoryUrl'
  | 'sourceRunUrl'
  | 'sourceAuthor'
>;

/** Returns the source with null for each missing field, or null if it has none. */
function completeSource(input: SourceInput | null | undefined): BuildSource | null {
  if (input === null || input === undefined) return null;
  const source: BuildSource = {
    commit: input.commit ?? null,
    branch: input.branch ?? null,
    tag: input.tag ?? null,
    pull_request: input.pull_request ?? null,
    repository_url: input.repository_url ?? null,
    run_url: input.run_url ?? null,
    author: input.author ?? null,
  };
  return Object.values(source).every((value) => value === null) ? null : source;
}

/** Returns the columns of a pending upload that only its build needs. */
export function pendingColumns(body: InitiateBuild) {
  return {
    originalFilename: body.original_filename ?? null,
    releaseNotes: body.release_notes ?? null,
    origin: storeOrigin(body),
  };
}

/** Returns the columns that a build takes over from its pending upload, and its labels. */
export function takenOver({ originalFilename, releaseNotes, origin }: ReturnType<typeof pendingColumns>) {
  const { source, labels } = readOrigin(origin);
  return { columns: { originalFilename, releaseNotes, ...sourceColumns(source) }, labels };
}

/** Returns the JSON that a pending upload stores, or null if there is nothing to keep. */
function storeOrigin(body: {
  source?: SourceInput | null | undefined;
  labels?: readonly string[] | null | undefined;
}): string | null {
  const origin: Origin = { source: completeSource(body.source), labels: body.labels ?? [] };
  return origin.source === null && origin.labels.length === 0 ? null : JSON.stringify(origin);
}

/** Returns what `storeOrigin` stored. */
function readOrigin(stored: string | null): Origin {
  // This column is written only by storeOrigin.
  return stored === null ? { source: null, labels: [] } : (JSON.parse(stored) as Origin);
}

/** Returns the columns of a build. */
export function sourceColumns(source: BuildSource | null): SourceColumns {
  return {
    sourceCommit: source?.commit ?? null,
    sourceBranch: source?.branch ?? null,
    sourceTag: source?.tag ?? null,
    sourcePullRequest: source?.pull_request ?? null,
    sourceRepositoryUrl: source?.repository_url ?? null,
    sourceRunUrl: source?.run_url ?? null,
    sourceAuthor: source?.author ?? null,
  };
}

/** Returns the source of a build in its API shape, or null if none was sent. */
export function toSource(row: SourceColumns): BuildSource | null {
  return completeSource({
    commit: row.sourceCommit,
    branch: row.sourceBranch,
    tag: row.sourceTag,
    pull_request: row.sourcePullRequest,
    repository_url: row.sourceRepositoryUrl,
    run_url: row.sourceRunUrl,
    author: row.sourceAuthor,
  });
}

/** Returns whether two lists have the same labels in the same spelling, in any order. */
export function areSameLabels(one: readonly string[], other: readonly string[]): boolean {
  const sorted = (all: readonly string[]) => all.toSorted((a, b) => (labelKey(a) < labelKey(b) ? -1 : 1));
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}
