// The table of builds. Only visible rows are rendered.
import { type CSSProperties, useEffect, useRef, useState } from 'react';
import type { Build } from '../../../builds/schema.ts';
import { useDeviceCounts } from '../../components/build-status.tsx';
import { fontScale } from '../../components/font-size.ts';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';
import { MAX_SELECTED } from './bulk.tsx';
import { BuildRow, type LiveChannel, ROW_HEIGHT, type RowAction } from './row.tsx';
import type { Selection } from './selection.ts';
import { useVisibleRows } from './visible-rows.ts';

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
  const [rowHeight] = useState(() => ROW_HEIGHT * fontScale());
  const { first, end, scrolling } = useVisibleRows(body, rows.length, rowHeight);
  // Rounded to whole parts of the list, so that scrolling by a row sends no new request.
  const firstCounted = Math.floor(first / COUNTED) * COUNTED;
  const lastCounted = Math.ceil(end / COUNTED) * COUNTED;
  const counts = useDeviceCounts(rows.slice(firstCounted, lastCounted));
  useEffect(() => {
    if (end > rows.length - AHEAD) onEnd();
  }, [end, rows.length, onEnd]);
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
      <tbody ref={body} style={{ height: rows.length * rowHeight, '--row-height': `${rowHeight}px` } as CSSProperties}>
        {rows.slice(first, end).map((build, position) => {
          const index = first + position;
          return (
            <BuildRow
              key={build.identifier}
              build={build}
              before={rows[index + 1]}
              project={project}
              index={index}
              start={index * rowHeight}
              count={counts.get(build.identifier)}
              channels={channels.get(build.identifier) ?? none}
              isSelected={selection?.has(build)}
              onSelect={selection?.toggle}
              isMenuOpen={openMenu === build.identifier}
              scrolling={scrolling}
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
