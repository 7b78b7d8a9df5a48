// The used places for devices of an Apple developer account, by class.
import { Badge, Progress, Skeleton } from '@mantine/core';
import type { Connection, DeviceQuota } from '../../../stores/schema.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { explainStoreError, isNearlyFull, useDeviceQuota } from '../../components/stores.ts';
import { useTexts } from '../../texts/locale.ts';
import { AnswerHead } from './answer-head.tsx';

/** Shown even if none is used, because they are registered most. */
const usual: ReadonlySet<string> = new Set(['IPHONE', 'IPAD']);

export function Quota({ connection: { identifier, name } }: { connection: Connection }) {
  const texts = useTexts();
  const t = texts.stores.quota;
  const quota = useDeviceQuota(identifier);
  const { data, error } = quota;
  return (
    <section className="tw-quota" aria-label={`${t.title}: ${name}`}>
      <AnswerHead title={t.title} connectionName={name} read={quota} />
      {error !== null && <ErrorAlert error={explainStoreError(error, texts)} onRetry={() => void quota.refetch()} />}
      {data === undefined && error === null && <QuotaSkeleton />}
      {data !== undefined && <Classes classes={data.classes} />}
    </section>
  );
}

function QuotaSkeleton() {
  const t = useTexts().common;
  return (
    <div className="tw-quota-rows" aria-busy="true">
      <span className="tw-offscreen" role="status">
        {t.loading}
      </span>
      <Skeleton height={44} />
      <Skeleton height={44} />
    </div>
  );
}

function Classes({ classes }: { classes: DeviceQuota['classes'] }) {
  const t = useTexts().stores.quota;
  const shown = classes.filter(({ device_class: name, used }) => used > 0 || usual.has(name));
  const rest = classes.filter((one) => !shown.includes(one));
  return (
    <>
      <ul className="tw-quota-rows">
        {shown.map((one) => (
          <ClassRow key={one.device_class} row={one} />
        ))}
      </ul>
      {rest[0] !== undefined && (
        <p className="tw-small">
          {t.unused(
            rest.map(({ device_class: name }) => name),
            rest[0].limit,
          )}
          . {t.hint}
        </p>
      )}
    </>
  );
}

function ClassRow({ row }: { row: DeviceQuota['classes'][number] }) {
  const t = useTexts().stores.quota;
  const { device_class: name, used, limit, left } = row;
  const line = t.line(name, used, limit, left);
  const color = left === 0 ? 'red' : isNearlyFull(row) ? 'yellow' : 'accent';
  return (
    <li>
      <div className="tw-quota-line">
        <span>{line}</span>
        {isNearlyFull(row) && (
          <Badge variant="light" color={color}>
            {t.warning(left)}
          </Badge>
        )}
      </div>
      <Progress value={(100 * used) / limit} color={color} size={6} aria-hidden />
    </li>
  );
}
