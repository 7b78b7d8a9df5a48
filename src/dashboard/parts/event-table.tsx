// Events, the newest first, drawn so many at a time.
import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { AuditRow } from '../../audit/schema.ts';
import { useTexts } from '../texts/languages.ts';
import { CopyButton } from './copy.tsx';
import { actorOf, writeDetails } from './event-texts.ts';
import { TableHead } from './table-head.tsx';
import { Time } from './time.tsx';

const STEP = 100;

interface EventTableProps {
  rows: readonly AuditRow[];
  /** What the events are of. */
  label: string;
  /** How many are drawn at first, and how many more each time. */
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
            // biome-ignore lint/suspicious/noArrayIndexKey: events have no id of their own, and none is moved
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
        <Time at={row.timestamp} />
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
          {row.actor.kind === 'system' ? t.system : actorOf(row)}
          {kind !== '' && <div className="tw-small">{kind}</div>}
        </div>
      </td>
      <td data-label={t.details}>
        <Text size="xs" c="dimmed" component="span">
          {writeDetails(row.details)}
        </Text>
      </td>
      <td data-label={t.address}>{row.ip_address ?? '–'}</td>
    </tr>
  );
}
