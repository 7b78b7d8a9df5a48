// The user's activity: events of the account, and optionally their actions in organizations.

import { NativeSelect, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Developer } from '../../../accounts/schema.ts';
import type { AuditRow } from '../../../audit/schema.ts';
import { useApi } from '../../api/hooks.ts';
import { useEventNames } from '../../components/event-names.ts';
import { EventTable } from '../../components/event-table.tsx';
import { QueryContent, RowsSkeleton, Section } from '../../components/page.tsx';
import { dayMs, utcDay } from '../../components/times.ts';
import { useCurrentUser } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { CsvButton } from '../audit/csv-button.tsx';
import type { Days } from '../audit/filters.ts';
import { filterByScope, type Scope } from './activity-scope.ts';

const periods = [1, 7, 30, 90] as const;
const SHOWN_AT_FIRST = 8;
const noRows: readonly AuditRow[] = [];

/** Reads the events of a number of days, including today. A header shows whether older events were left out. */
function useActivity(developerId: string, days: number) {
  const api = useApi();
  const path = `/audit/developer/${developerId}`;
  return useQuery<{ rows: AuditRow[]; isTruncated: boolean; period: Days }>({
    queryKey: [path, days],
    queryFn: async ({ signal }) => {
      const period = { from: utcDay(Date.now() - (days - 1) * dayMs), to: utcDay(Date.now()) };
      const { body, headers } = await api.sendForHeaders<AuditRow[]>('GET', path, { query: period, signal });
      return { rows: body, isTruncated: headers.get('x-audit-truncated') === 'true', period };
    },
    placeholderData: keepPreviousData,
  });
}

export function ActivitySection({ me }: { me: Developer }) {
  const texts = useTexts();
  const t = texts.account.activity;
  const [days, setDays] = useState<number>(7);
  const [scope, setScope] = useState<Scope>('account');
  const trail = useActivity(me.identifier, days);
  const { organization } = useCurrentUser();
  const names = useEventNames(scope === 'all' ? organization?.identifier : undefined, trail.data?.rows ?? noRows);
  return (
    <Section
      id="activity"
      title={t.title}
      hint={t.hint}
      actions={
        <>
          <NativeSelect
            size="xs"
            aria-label={t.scope}
            value={scope}
            data={[
              { value: 'account', label: t.scopes.account },
              { value: 'all', label: t.scopes.all },
            ]}
            onChange={(event) => setScope(event.currentTarget.value === 'all' ? 'all' : 'account')}
          />
          <NativeSelect
            size="xs"
            aria-label={t.period}
            value={days}
            data={periods.map((period) => ({ value: String(period), label: t.days(period) }))}
            onChange={(event) => setDays(Number(event.currentTarget.value))}
          />
          <CsvButton
            size="xs"
            rows={filterByScope(trail.data?.rows ?? noRows, scope)}
            days={trail.isPlaceholderData ? undefined : trail.data?.period}
          />
        </>
      }
    >
      <QueryContent read={trail} loading={<RowsSkeleton rows={SHOWN_AT_FIRST} />}>
        {({ rows: all, isTruncated }) => {
          const rows = filterByScope(all, scope);
          return (
            <>
              {isTruncated && (
                <Text size="sm" role="status">
                  {texts.audit.truncated(all.length)}
                </Text>
              )}
              {rows.length === 0 ? (
                <Text size="sm" c="dimmed">
                  {t.none}
                </Text>
              ) : (
                <EventTable key={`${days} ${scope}`} rows={rows} names={names} label={t.title} step={SHOWN_AT_FIRST} />
              )}
            </>
          );
        }}
      </QueryContent>
    </Section>
  );
}
