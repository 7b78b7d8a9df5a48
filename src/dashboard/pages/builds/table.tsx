// The table of builds. Only visible rows are rendered.
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import type { Build } from '../../../builds/schema.ts';
import { useDeviceCounts } from '../../components/build-status.tsx';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';
import { MAX_SELECTED } from './bulk.tsx';
import { BuildRow, type LiveChannel, ROW_HEIGHT, type RowAction } from './row.tsx';
import type { Selection } from './selection.ts';

/** How many rows before the end the next page is requested. */
const AHEAD = 60;
/** How many builds one request counts devices for. */
const COUNTED = 50;

const none: readonly LiveChannel[] = [];

interface BuildTableProps {
  rows: readonly Build[];
  channels: ReadonlyMap<string, readonly LiveChannel[]>;
  /** The build whose menu is open. */
  openMenu: string | undefined;
  hasMore: boolean;
  /** Undefined for people who may change no builds. */
  selection: Selection | undefined;
  onAct(build: Build, action: RowAction, button: HTMLElement): void;
  onEnd(): void;
}

export function BuildTable({ rows, channels, openMenu, hasMore, selection, onAct, onEnd }: BuildTableProps) {
  const t = useTexts().builds;
  const project = useProject();
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  useEffect(() => setTop(body.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    scrollMargin: top,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  // Rounded to whole parts of the list, so that scrolling by a row sends no new request.
  const firstCounted = Math.floor((items[0]?.index ?? 0) / COUNTED) * COUNTED;
  const lastCounted = Math.ceil((last + 1) / COUNTED) * COUNTED;
  const counts = useDeviceCounts(rows.slice(firstCounted, lastCounted));
  useEffect(() => {
    if (last >= rows.length - AHEAD) onEnd();
  }, [last, rows.length, onEnd]);
  return (
    <table className="tw-build-table" aria-label={t.title} aria-rowcount={hasMore ? -1 : rows.length + 1}>
      <thead>
        <tr aria-rowindex={1} className="tw-build-row">
          {[t.version, t.source.column, t.channels, t.uploadedBy, t.size].map((title) => (
            <th scope="col" key={title}>
              {title === t.version && selection !== undefined && <SelectAll selection={selection} rows={rows} />}
              {title}
            </th>
          ))}
          <th scope="col">
            <span className="tw-offscreen">{t.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody ref={body} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const build = rows[index];
          if (build === undefined) return null;
          return (
            <BuildRow
              key={build.identifier}
              build={build}
              before={rows[index + 1]}
              project={project}
              index={index}
              start={start - top}
              count={counts.get(build.identifier)}
              channels={channels.get(build.identifier) ?? none}
              isSelected={selection?.has(build)}
              onSelect={selection?.toggle}
              isMenuOpen={openMenu === build.identifier}
              isScrolling={virtual.isScrolling}
              onAct={onAct}
            />
          );
        })}
      </tbody>
    </table>
  );
}

/** Selects the first builds of the list, or none. */
function SelectAll({ selection, rows }: { selection: Selection; rows: readonly Build[] }) {
  const t = useTexts().builds.bulk;
  const count = selection.builds.length;
  const isAll = count > 0 && count === Math.min(rows.length, MAX_SELECTED);
  const label = rows.length > MAX_SELECTED ? t.selectFirst(MAX_SELECTED) : t.selectAll;
  return (
    <input
      type="checkbox"
      className="tw-row-check"
      aria-label={label}
      title={label}
      checked={isAll}
      ref={(box) => {
        if (box !== null) box.indeterminate = count > 0 && !isAll;
      }}
      onChange={() => (isAll ? selection.clear() : selection.selectAll())}
    />
  );
}
