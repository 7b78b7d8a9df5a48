// A table of audit events, newest first, rendered in steps.
import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { AuditRow } from '../../audit/schema.ts';
import { useTexts } from '../texts/locale.ts';
import { CopyButton } from './copy.tsx';
import { actorName, formatDetails } from './event-texts.ts';
import { TableHead } from './table-head.tsx';
import { RelativeTime } from './time.tsx';

const STEP = 100;

interface EventTableProps {
  rows: readonly AuditRow[];
  /** The accessible name of the table. */
  label: string;
  /** How many rows are rendered at first and added each time. */
  step?: number;
}

export function EventTable({ rows, label, step = STEP }: EventTableProps) {
  const t = useTexts().audit;
  const [most, setMost] = useState(step);
  return (
    <>
      <table className="tw-records" aria-label={label}>
        <TableHead titles={[t.when, t.event, t.actor, t.details, t.address]} />
        <tbody>
          {rows.slice(0, most).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: events have no ids, and their order is stable
            <Row key={`${row.timestamp} ${row.identifier} ${index}`} row={row} />
          ))}
        </tbody>
      </table>
      {rows.length > most && (
        <div>
          <Button variant="default" onClick={() => setMost(most + step)}>
            {t.showMore}
          </Button>
        </div>
      )}
    </>
  );
}

function Row({ row }: { row: AuditRow }) {
  const t = useTexts().audit;
  const kind = t.actorKinds[row.actor.kind];
  return (
    <tr>
      <td data-label={t.when}>
        <RelativeTime at={row.timestamp} />
      </td>
      <td data-label={t.event}>
        <div>
          <span className="tw-strong">{row.event_type_label}</span>
          <div>
            <span className="tw-copyable tw-small">
              {row.data_type_label}
              <CopyButton text={row.identifier} what={t.targetId} />
            </span>
          </div>
        </div>
      </td>
      <td data-label={t.actor}>
        <div>
          {row.actor.kind === 'system' ? t.system : actorName(row)}
          {kind !== '' && <div className="tw-small">{kind}</div>}
        </div>
      </td>
      <td data-label={t.details}>
        <Text size="xs" c="dimmed" component="span">
          {formatDetails(row.details)}
        </Text>
      </td>
      <td data-label={t.address}>{row.ip_address ?? '–'}</td>
    </tr>
  );
}
