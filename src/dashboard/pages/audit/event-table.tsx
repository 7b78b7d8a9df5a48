// Events, the newest first, drawn a hundred at a time.
import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { AuditRow } from '../../../audit/schema.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { Time } from '../../parts/time.tsx';
import { useTexts } from '../../texts/languages.ts';
import { actorOf, writeDetails } from './filters.ts';

const STEP = 100;

export function EventTable({ rows }: { rows: readonly AuditRow[] }) {
  const t = useTexts().audit;
  const [most, setMost] = useState(STEP);
  return (
    <section className="tw-card" aria-label={t.title}>
      <table className="tw-records" aria-label={t.title}>
        <thead>
          <tr>
            {[t.when, t.event, t.actor, t.details, t.address].map((title) => (
              <th scope="col" key={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, most).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: events have no id of their own, and none is moved
            <Row key={`${row.timestamp} ${row.identifier} ${index}`} row={row} />
          ))}
        </tbody>
      </table>
      {rows.length > most && (
        <div>
          <Button variant="default" onClick={() => setMost(most + STEP)}>
            {t.showMore}
          </Button>
        </div>
      )}
    </section>
  );
}

function Row({ row }: { row: AuditRow }) {
  const t = useTexts().audit;
  const kind = t.kinds[row.actor.kind];
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
              <CopyButton text={row.identifier} what={t.identifier} />
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
