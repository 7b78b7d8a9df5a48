// The builds that are selected in the list.
import { useCallback, useMemo, useRef, useState } from 'react';
import type { Build } from '../../../builds/schema.ts';
import { MAX_SELECTED } from './bulk.tsx';

export interface Selection {
  /** The selected builds that are in the list, in its order. */
  builds: readonly Build[];
  has(build: Build): boolean;
  /** Selects a build or not; with `isRange`, also the builds between it and the one before. */
  toggle(build: Build, isSelected: boolean, isRange: boolean): void;
  /** Selects the first builds of the list. */
  selectAll(): void;
  remove(builds: readonly Build[]): void;
  clear(): void;
}

/** Keeps which builds are selected, as many as can be changed together. Builds that are no longer in the list aren't selected. */
export function useSelection(rows: readonly Build[] | undefined): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const latest = useRef<{ rows: readonly Build[]; last: string | undefined }>({ rows: [], last: undefined });
  latest.current.rows = rows ?? [];
  const builds = useMemo(
    () => (ids.size === 0 ? [] : (rows ?? []).filter(({ identifier }) => ids.has(identifier))),
    [rows, ids],
  );
  const toggle = useCallback((build: Build, isSelected: boolean, isRange: boolean) => {
    const { rows: all, last } = latest.current;
    const from = all.findIndex(({ identifier }) => identifier === last);
    const to = all.findIndex(({ identifier }) => identifier === build.identifier);
    const changed = isRange && from >= 0 && to >= 0 ? all.slice(Math.min(from, to), Math.max(from, to) + 1) : [build];
    latest.current.last = build.identifier;
    setIds((before) => {
      const next = new Set(before);
      for (const { identifier } of changed) {
        if (!isSelected) next.delete(identifier);
        else if (next.size < MAX_SELECTED) next.add(identifier);
      }
      return next;
    });
  }, []);
  const remove = useCallback((removed: readonly Build[]) => {
    const gone = new Set(removed.map(({ identifier }) => identifier));
    setIds((before) => new Set([...before].filter((id) => !gone.has(id))));
  }, []);
  return {
    builds,
    has: ({ identifier }) => ids.has(identifier),
    toggle,
    selectAll: () => setIds(new Set(latest.current.rows.slice(0, MAX_SELECTED).map(({ identifier }) => identifier))),
    remove,
    clear: () => setIds(new Set()),
  };
}
