// Recent sign-ins through the identity provider, read from the audit trail.
import { Badge, Button, Loader, Text } from '@mantine/core';
import { useState } from 'react';
import type { AuditRow } from '../../../audit/schema.ts';
import { QueryContent, RowsSkeleton, Section } from '../../components/page.tsx';
import { type PollingSchedule, pollingSchedules, useScheduledRead } from '../../components/polling.ts';
import { RelativeTime } from '../../components/time.tsx';
import { dayMs, utcDay } from '../../components/times.ts';
import { useOrganization } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import type { SsoKind } from './sso.ts';

const MAX_SHOWN = 10;

interface Attempt {
  at: string;
  isSuccess: boolean;
  /** The user's name, or the reason of the failure. */
  text: string;
  /** What the provider reported. */
  detail: string | undefined;
}

/** Reads the sign-ins since yesterday, newest first. Polls if there is a schedule. */
export function useAttempts(schedule?: PollingSchedule) {
  const [now] = useState(() => Date.now());
  const read = useScheduledRead<AuditRow[]>(`/audit/organization/${useOrganization().identifier}`, {
    query: { from: utcDay(now - dayMs), to: utcDay(now + dayMs) },
    schedule,
  });
  return { ...read, attempts: read.data?.flatMap((row) => toAttempt(row) ?? []) };
}

function toAttempt({ type, event, timestamp: at, actor, details }: AuditRow): Attempt | undefined {
  if (type !== 'org_sso') return undefined;
  if (event === 'sso_login_succeeded')
    return { at, isSuccess: true, text: actor.name ?? actor.identifier ?? '', detail: undefined };
  if (event !== 'login_failed') return undefined;
  const told = details.description ?? details.error;
  return { at, isSuccess: false, text: String(details.reason), detail: told === undefined ? undefined : String(told) };
}

export function Attempts({ kind }: { kind: SsoKind }) {
  const t = useTexts().sso.attempts;
  const read = useAttempts(pollingSchedules.singleSignOn);
  return (
    <Section title={t.title} hint={t.hint}>
      <QueryContent read={{ ...read, data: read.attempts }} loading={<RowsSkeleton rows={1} picture={0} />}>
        {(attempts) =>
          attempts.length === 0 ? (
            <Text size="sm">{t.none}</Text>
          ) : (
            <ul className="tw-list" aria-label={t.title}>
              {attempts.slice(0, MAX_SHOWN).map((attempt) => (
                <Row key={`${attempt.at} ${attempt.text}`} attempt={attempt} kind={kind} />
              ))}
            </ul>
          )
        }
      </QueryContent>
      <div className="tw-waiting" role="status">
        {!read.isPolling ? (
          <>
            <Text size="sm">{t.stoppedWaiting}</Text>
            <Button
              size="xs"
              variant="default"
              onClick={() => {
                read.restart();
                void read.refetch();
              }}
            >
              {t.refresh}
            </Button>
          </>
        ) : (
          <>
            <Loader size={16} aria-hidden />
            <Text size="sm">{t.waiting}</Text>
          </>
        )}
      </div>
    </Section>
  );
}

function Row({ attempt: { at, isSuccess, text, detail }, kind }: { attempt: Attempt; kind: SsoKind }) {
  const t = useTexts().sso.attempts;
  const reason = (kind === 'oidc' ? t.oidcReasons[text] : undefined) ?? t.reasons[text] ?? text;
  return (
    <li>
      <Text size="sm" component="div" className="tw-grow">
        {isSuccess ? (
          t.signedIn(text)
        ) : (
          <>
            <Badge variant="light" color="red">
              {t.failed}
            </Badge>{' '}
            {reason}
            {detail !== undefined && <div className="tw-small">{detail}</div>}
          </>
        )}
      </Text>
      <span className="tw-small">
        <RelativeTime at={at} />
      </span>
    </li>
  );
}
