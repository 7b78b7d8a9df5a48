// The audit trail of the organization, with a period, filters and a CSV download.

import { Alert, Button, NativeSelect, SegmentedControl, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconDownload, IconListSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AuditRow } from '../../../audit/schema.ts';
import { useApi } from '../../api/hooks.ts';
import { CommandBlock } from '../../components/copy.tsx';
import { saveText } from '../../components/download.ts';
import { ErrorPage } from '../../components/errors.tsx';
import { EventTable } from '../../components/event-table.tsx';
import { actorName } from '../../components/event-texts.ts';
import { EmptyState, Loading, PageHeader } from '../../components/page.tsx';
import { dayMs, utcDay } from '../../components/times.ts';
import { useOrganization } from '../../shell/current-user.ts';
import { readServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import {
  type Days,
  type Filters,
  filterEvents,
  listValues,
  nameCsv,
  noFilters,
  readDays,
  writeCsv,
} from './filters.ts';

interface Trail {
  rows: AuditRow[];
  isTruncated: boolean;
}

/** Reads the events of the requested days. A header shows whether older events were left out. */
function useTrail(organizationId: string, days: Days | undefined) {
  const api = useApi();
  const path = `/audit/organization/${organizationId}`;
  return useQuery<Trail>({
    queryKey: [path, days],
    queryFn: async ({ signal }) => {
      const { body, headers } = await api.sendForHeaders<AuditRow[]>('GET', path, { query: { ...days }, signal });
      return { rows: body, isTruncated: headers.get('x-audit-truncated') === 'true' };
    },
    enabled: days !== undefined,
    placeholderData: keepPreviousData,
  });
}

export function Page() {
  const organization = useOrganization();
  return <AuditPage key={organization.identifier} organizationId={organization.identifier} />;
}

function AuditPage({ organizationId }: { organizationId: string }) {
  const t = useTexts().audit;
  const [kind, setKind] = useState<'day' | 'range'>('day');
  const [today] = useState(() => utcDay(Date.now()));
  const [day, setDay] = useState(today);
  const [from, setFrom] = useState(() => utcDay(Date.now() - 7 * dayMs));
  const [to, setTo] = useState(today);
  const [filters, setFilters] = useState(noFilters);
  const days = readDays(kind, day, from, to);
  const trail = useTrail(organizationId, days);
  const shown = filterEvents(trail.data?.rows ?? [], filters);
  const dayField = (label: string, value: string, set: (value: string) => void, error?: string) => (
    <TextInput
      type="date"
      className="tw-day"
      label={label}
      value={value}
      error={error}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
  return (
    <>
      <PageHeader
        title={t.title}
        hint={t.hint}
        actions={
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            aria-label={t.csvLabel}
            title={t.csvLabel}
            disabled={shown.length === 0 || days === undefined}
            onClick={() => days !== undefined && saveText(writeCsv(shown), nameCsv(days), 'text/csv')}
          >
            {t.csv}
          </Button>
        }
      />
      <div className="tw-filters">
        <div className="tw-fixed">
          <SegmentedControl
            aria-label={t.period}
            value={kind}
            onChange={(value) => setKind(value === 'range' ? 'range' : 'day')}
            data={(['day', 'range'] as const).map((value) => ({ value, label: t.periods[value] }))}
          />
        </div>
        {kind === 'day' ? (
          dayField(t.day, day, setDay)
        ) : (
          <>
            {dayField(t.from, from, setFrom)}
            {dayField(t.to, to, setTo, from !== '' && to !== '' && from > to ? t.invalidRange : undefined)}
          </>
        )}
      </div>
      {trail.error !== null && !trail.isPlaceholderData && trail.data === undefined ? (
        <ErrorPage error={trail.error} onRetry={() => void trail.refetch()} />
      ) : trail.data === undefined ? (
        <Loading />
      ) : (
        <Shown
          trail={trail.data}
          shown={shown}
          filters={filters}
          onFilter={setFilters}
          isRange={kind === 'range'}
          command={writeCommand(organizationId, days)}
        />
      )}
    </>
  );
}

function writeCommand(organizationId: string, days: Days | undefined): string {
  const [first, last] =
    days === undefined ? ['DAY', 'DAY'] : 'day' in days ? [days.day, days.day] : [days.from, days.to];
  return `${readServerInfo().program} audit export --organization ${organizationId} --from ${first} --to ${last} > audit.csv`;
}

interface ShownProps {
  trail: Trail;
  shown: readonly AuditRow[];
  filters: Filters;
  onFilter(filters: Filters): void;
  isRange: boolean;
  command: string;
}

function Shown({ trail: { rows, isTruncated }, shown, filters, onFilter, isRange, command }: ShownProps) {
  const t = useTexts().audit;
  if (rows.length === 0) {
    return (
      <EmptyState
        icon={<IconListSearch size={40} stroke={1.4} aria-hidden />}
        title={t.noneTitle}
        text={t.none}
        command={command}
      />
    );
  }
  const select = (name: 'event' | 'type' | 'actor', label: string, read: (row: AuditRow) => string) => {
    const values = listValues(rows, read);
    const value = filters[name];
    const all = value === '' || values.includes(value) ? values : [value, ...values];
    return (
      <NativeSelect
        label={label}
        value={value}
        data={[{ value: '', label: t.all }, ...all.map((one) => ({ value: one, label: one }))]}
        onChange={(event) => onFilter({ ...filters, [name]: event.currentTarget.value })}
      />
    );
  };
  return (
    <>
      <div className="tw-filters">
        {select('event', t.event, (row) => row.event_type_label)}
        {select('type', t.type, (row) => row.data_type_label)}
        {select('actor', t.actor, actorName)}
        <TextInput
          type="search"
          label={t.search}
          value={filters.search}
          onChange={(event) => onFilter({ ...filters, search: event.currentTarget.value })}
        />
      </div>
      {isTruncated && (
        <Alert color="yellow" icon={<IconAlertTriangle size={18} />} title={t.truncatedTitle} role="status">
          {isRange ? t.truncated(rows.length) : t.truncatedDay(rows.length)}
        </Alert>
      )}
      <Text size="sm" c="dimmed" role="status">
        {t.shownCount(shown.length, rows.length)}
      </Text>
      {shown.length === 0 ? (
        <div className="tw-empty">
          <Text>{t.noMatches}</Text>
          <Button variant="default" onClick={() => onFilter(noFilters)}>
            {t.clearFilters}
          </Button>
        </div>
      ) : (
        <section className="tw-section" aria-label={t.title}>
          <EventTable rows={shown} label={t.title} />
        </section>
      )}
      <div>
        <Text size="sm" c="dimmed" mb={4}>
          {t.exportHint}
        </Text>
        <CommandBlock text={command} />
      </div>
    </>
  );
}
