// The deliveries of a webhook.

import { Badge, Button, SegmentedControl, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { Delivery, DeliveryStatus, Webhook } from '../../../webhooks/schema.ts';
import { useChange, useReadPages } from '../../api/hooks.ts';
import { CopyButton } from '../../components/copy.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { RowsSkeleton, Section } from '../../components/page.tsx';
import { pollingInterval, pollingSchedules } from '../../components/polling.ts';
import { TableHead } from '../../components/table-head.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { useTexts } from '../../texts/locale.ts';

const PAGE = 50;
const statuses = ['all', 'pending', 'retrying', 'delivered', 'dead'] as const;
const colors: Record<DeliveryStatus, string> = {
  pending: 'accent',
  retrying: 'yellow',
  delivered: 'green',
  dead: 'red',
};

/** `refreshKey` changes after a test was sent elsewhere on the page. */
export function Deliveries({ webhook, refreshKey }: { webhook: Webhook; refreshKey: number }) {
  const texts = useTexts();
  const t = texts.webhooks.deliveries;
  const [status, setStatus] = useState<(typeof statuses)[number]>('all');
  const [sent, setSent] = useState(0);
  const list = useReadPages<Delivery>(`/webhooks/${webhook.identifier}/deliveries`, {
    query: { limit: PAGE, status: status === 'all' ? undefined : status },
  });
  const { rows } = list;
  const refresh = useRefresh(list, `${refreshKey} ${sent} ${status}`, webhook.active);
  return (
    <Section title={t.title} hint={t.hint}>
      <SegmentedControl
        size="xs"
        aria-label={t.filter}
        value={status}
        onChange={(value) => setStatus(statuses.find((one) => one === value) ?? 'all')}
        data={statuses.map((value) => ({ value, label: t.statuses[value] }))}
      />
      {rows === undefined && list.error === null && <RowsSkeleton rows={6} picture={0} hasCaption />}
      {list.error !== null && <ErrorAlert error={list.error} onRetry={() => void list.refetch()} />}
      {rows?.length === 0 && <Text size="sm">{status === 'all' ? t.none : t.noneOfStatus}</Text>}
      {rows !== undefined && rows.length > 0 && (
        <table className="tw-records tw-compact" data-plain aria-label={t.title}>
          <TableHead titles={[t.event, t.status, t.response, t.when]} hasActions />
          <tbody>
            {rows.map((delivery) => (
              <Row
                key={delivery.identifier}
                delivery={delivery}
                webhook={webhook}
                onSent={() => setSent((before) => before + 1)}
              />
            ))}
          </tbody>
        </table>
      )}
      <LoadMore list={list} />
      {refresh.isStopped && (
        <div className="tw-waiting">
          <Text size="sm">{t.stopped}</Text>
          <Button size="xs" variant="default" onClick={refresh.resume}>
            {t.refresh}
          </Button>
        </div>
      )}
    </Section>
  );
}

interface RefreshableList {
  rows: Delivery[] | undefined;
  dataUpdatedAt: number;
  errorUpdatedAt: number;
  refetch(): unknown;
}

/**
 * Refetches the list while deliveries are pending, with increasing pauses up to a limit. Starts over when `cause`
 * changes.
 */
function useRefresh(list: RefreshableList, cause: string, isActive: boolean) {
  const [schedule, setSchedule] = useState({ cause, startedAt: Date.now() });
  if (schedule.cause !== cause) setSchedule({ cause, startedAt: Date.now() });
  const hasPending =
    isActive && list.rows?.some(({ status }) => status === 'pending' || status === 'retrying') === true;
  const readAt = Math.max(list.dataUpdatedAt, list.errorUpdatedAt);
  const pause = hasPending
    ? pollingInterval(Math.max(0, readAt - schedule.startedAt), pollingSchedules.deliveries)
    : undefined;
  const { refetch } = list;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each read starts the next pause
  useEffect(() => {
    if (pause === undefined) return;
    const timer = setTimeout(() => void refetch(), pause);
    return () => clearTimeout(timer);
  }, [pause, readAt, refetch, schedule.startedAt]);
  return {
    isStopped: hasPending && pause === undefined,
    resume() {
      setSchedule({ cause, startedAt: Date.now() });
      void refetch();
    },
  };
}

interface RowProps {
  delivery: Delivery;
  webhook: Webhook;
  onSent(): void;
}

function Row({ delivery, webhook, onSent }: RowProps) {
  const texts = useTexts();
  const t = texts.webhooks.deliveries;
  const path = `/webhooks/${webhook.identifier}/deliveries`;
  const again = useChange((api) => api.send('POST', `${path}/${delivery.identifier}/redeliver`), [path]);
  const event = texts.webhooks.eventNames[delivery.type];
  const { last_error: error, last_status_code: status } = delivery;
  const answer = error !== null ? texts.errors.outbound(error) : status === null ? '–' : t.httpStatus(status);
  return (
    <tr>
      <td data-label={t.event}>
        <span className="tw-copyable">
          {event}
          <CopyButton text={delivery.event_id} what={t.eventId} />
        </span>
      </td>
      <td data-label={t.status}>
        <Badge variant="light" color={colors[delivery.status]}>
          {t.statuses[delivery.status]}
        </Badge>
      </td>
      <td data-label={t.response}>
        <div>
          {answer}
          <div className="tw-small">
            {t.attempts(delivery.attempts)}
            {delivery.next_attempt_at !== null && delivery.status === 'retrying' && (
              <>
                {' · '}
                {t.nextAttempt} <RelativeTime at={delivery.next_attempt_at} />
              </>
            )}
          </div>
        </div>
      </td>
      <td data-label={t.when}>
        <RelativeTime at={delivery.created_at} />
      </td>
      <td className="tw-records-end">
        <div>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t.redeliverOf(event)}
            disabled={!webhook.active}
            loading={again.isPending}
            onClick={() =>
              again.mutate(undefined, {
                onSuccess: () => {
                  showSuccess(t.redelivered);
                  onSent();
                },
              })
            }
          >
            {t.redeliver}
          </Button>
          {again.error !== null && <ErrorAlert error={again.error} />}
        </div>
      </td>
    </tr>
  );
}
