// Recent sign-ins through the identity provider, read from the audit trail.
import { Badge, Button, Loader, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { AuditRow } from '../../../audit/schema.ts';
import { useRead } from '../../api/hooks.ts';
import { Loading, QueryContent, Section } from '../../parts/page.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { useOrganization } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { pollingInterval } from './polling.ts';

const DAY_MS = 86_400_000;
const MAX_SHOWN = 10;
const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

interface Attempt {
  at: string;
  isSuccess: boolean;
  /** The user's name, or the reason of the failure. */
  word: string;
}

/** Reads the sign-ins since yesterday, newest first, at an interval. */
export function useAttempts(everyMs?: number) {
  const [now] = useState(() => Date.now());
  const read = useRead<AuditRow[]>(`/audit/organization/${useOrganization().identifier}`, {
    query: { from: dayOf(now - DAY_MS), to: dayOf(now + DAY_MS) },
    intervalMs: everyMs,
  });
  return { ...read, attempts: read.data?.flatMap((row) => toAttempt(row) ?? []) };
}

function toAttempt({ type, event, timestamp: at, actor, details }: AuditRow): Attempt | undefined {
  if (type !== 'org_sso') return undefined;
  if (event === 'sso_login_succeeded') return { at, isSuccess: true, word: actor.name ?? actor.identifier ?? '' };
  return event === 'login_failed' ? { at, isSuccess: false, word: String(details.reason) } : undefined;
}

export function Attempts() {
  const t = useTexts().sso.attempts;
  const [since, setSince] = useState(() => Date.now());
  const [waited, setWaited] = useState(0);
  const pause = pollingInterval(waited);
  const read = useAttempts(pause);
  const readAt = Math.max(read.dataUpdatedAt, read.errorUpdatedAt);
  useEffect(() => setWaited(Math.max(0, readAt - since)), [readAt, since]);
  return (
    <Section title={t.title} hint={t.hint}>
      <QueryContent read={{ ...read, data: read.attempts }} loading={<Loading rows={1} height={44} />}>
        {(attempts) =>
          attempts.length === 0 ? (
            <Text size="sm">{t.none}</Text>
          ) : (
            <ul className="tw-list" aria-label={t.title}>
              {attempts.slice(0, MAX_SHOWN).map((attempt) => (
                <Row key={`${attempt.at} ${attempt.word}`} attempt={attempt} />
              ))}
            </ul>
          )
        }
      </QueryContent>
      <div className="tw-waiting" role="status">
        {pause === undefined ? (
          <>
            <Text size="sm">{t.stoppedWaiting}</Text>
            <Button
              size="xs"
              variant="default"
              onClick={() => {
                setSince(Date.now());
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

function Row({ attempt: { at, isSuccess, word } }: { attempt: Attempt }) {
  const t = useTexts().sso.attempts;
  return (
    <li>
      <Text size="sm" component="div" className="tw-grow">
        {isSuccess ? (
          t.signedIn(word)
        ) : (
          <>
            <Badge variant="light" color="red">
              {t.failed}
            </Badge>{' '}
            {t.reasons[word] ?? word}
          </>
        )}
      </Text>
      <span className="tw-small">
        <RelativeTime at={at} />
      </span>
    </li>
  );
}
