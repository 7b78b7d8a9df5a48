// The audit trail of the organization, with a period, filters and a CSV download.

import { Alert, Button, NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { AuditRow } from '../../../audit/schema.ts';
import { useApi } from '../../api/hooks.ts';
import { CommandBlock } from '../../components/copy.tsx';
import { ErrorPage } from '../../components/errors.tsx';
import { useEventNames } from '../../components/event-names.ts';
import { describeEvent, type EventNames, formatSentence } from '../../components/event-sentence.ts';
import { EventTable } from '../../components/event-table.tsx';
import { actorName } from '../../components/event-texts.ts';
import { EmptyState, PageHeader, RowsSkeleton } from '../../components/page.tsx';
import { bodylessCommand } from '../../components/request-command.ts';
import { RoleErrorPage } from '../../components/role-error.tsx';
import { mayInOrganization, useOrganization } from '../../shell/current-user.ts';
import { readServerAddress, readServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { CsvButton } from './csv-button.tsx';
import { type Days, type Filters, filterEvents, listValues, noFilters, readDays } from './filters.ts';
import { useAuditView } from './view.ts';

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
  if (!mayInOrganization(organization, 'audit.read')) return <RoleErrorPage />;
  return <AuditPage key={organization.identifier} organizationId={organization.identifier} />;
}

function AuditPage({ organizationId }: { organizationId: string }) {
  const texts = useTexts();
  const t = texts.audit;
  const [{ kind, day, from, to, filters }, change] = useAuditView();
  const days = readDays(kind, day, from, to);
  const trail = useTrail(organizationId, days);
  const rows = trail.data?.rows ?? noRows;
  const names = useEventNames(organizationId, rows);
  const shown = useMemo(
    () => filterEvents(rows, filters, (row) => formatSentence(describeEvent(row, texts, names))),
    [rows, filters, texts, names],
  );
  const dayField = (label: string, name: 'day' | 'from' | 'to', value: string, error?: string) => (
    <TextInput
      type="date"
      className="tw-day"
      aria-label={label}
      title={label}
      value={value}
      error={error}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <>
      <PageHeader
        title={t.title}
        hint={t.hint}
        actions={
          // Until the new days are loaded, the rows are still those of the previous ones.
          <CsvButton rows={shown} days={trail.isPlaceholderData ? undefined : days} />
        }
      />
      <div className="tw-toolbar">
        <SegmentedControl
          aria-label={t.period}
          value={kind}
          onChange={(value) => change({ kind: value === 'range' ? 'range' : 'day' })}
          data={(['day', 'range'] as const).map((value) => ({ value, label: t.periods[value] }))}
        />
        {kind === 'day' ? (
          dayField(t.day, 'day', day)
        ) : (
          <>
            {dayField(t.from, 'from', from)}
            {dayField(t.to, 'to', to, from !== '' && to !== '' && from > to ? t.invalidRange : undefined)}
          </>
        )}
        {rows.length > 0 && (
          <EventFilters rows={rows} filters={filters} onFilter={(next) => change({ filters: next })} />
        )}
      </div>
      {trail.error !== null && !trail.isPlaceholderData && trail.data === undefined ? (
        <ErrorPage error={trail.error} onRetry={() => void trail.refetch()} />
      ) : trail.data === undefined ? (
        <RowsSkeleton rows={12} />
      ) : (
        <Shown
          trail={trail.data}
          shown={shown}
          names={names}
          onClear={() => change({ filters: noFilters })}
          isRange={kind === 'range'}
          organizationId={organizationId}
          days={days}
        />
      )}
    </>
  );
}

const noRows: readonly AuditRow[] = [];

function sortOptions<Option extends { label: string }>(options: readonly Option[]): Option[] {
  return options.toSorted((one, other) => one.label.localeCompare(other.label));
}

interface EventFiltersProps {
  rows: readonly AuditRow[];
  filters: Filters;
  onFilter(filters: Filters): void;
}

function EventFilters({ rows, filters, onFilter }: EventFiltersProps) {
  const { audit: t, events } = useTexts();
  const select = (
    name: 'event' | 'type' | 'actor',
    label: string,
    all: string,
    read: (row: AuditRow) => string,
    write = (value: string) => value,
  ) => {
    const values = listValues(rows, read);
    const value = filters[name];
    const options = value === '' || values.includes(value) ? values : [value, ...values];
    return (
      <NativeSelect
        aria-label={label}
        value={value}
        data={[{ value: '', label: all }, ...sortOptions(options.map((one) => ({ value: one, label: write(one) })))]}
        onChange={(event) => onFilter({ ...filters, [name]: event.currentTarget.value })}
      />
    );
  };
  return (
    <>
      {select('event', t.event, t.allEvents, (row) => row.event, events.labelOf)}
      {select('type', t.type, t.allTypes, (row) => row.type, events.labelOf)}
      {select('actor', t.actor, t.allActors, actorName)}
      <TextInput
        type="search"
        className="tw-toolbar-search"
        aria-label={t.search}
        placeholder={t.search}
        leftSection={<IconSearch size={14} aria-hidden />}
        value={filters.search}
        onChange={(event) => onFilter({ ...filters, search: event.currentTarget.value })}
      />
    </>
  );
}

/** The command that exports the complete days on the server. */
function writeExport(organizationId: string, days: Days | undefined): string {
  const [first, last] =
    days === undefined ? ['DAY', 'DAY'] : 'day' in days ? [days.day, days.day] : [days.from, days.to];
  return `${readServerInfo().program} audit export --organization ${organizationId} --from ${first} --to ${last} > audit.csv`;
}

interface ShownProps {
  trail: Trail;
  shown: readonly AuditRow[];
  names: EventNames;
  onClear(): void;
  isRange: boolean;
  organizationId: string;
  days: Days | undefined;
}

function Shown({ trail: { rows, isTruncated }, shown, names, onClear, isRange, organizationId, days }: ShownProps) {
  const t = useTexts().audit;
  if (rows.length === 0) {
    const query = new URLSearchParams({ ...days }).toString();
    return (
      <EmptyState
        drawing="events"
        title={t.noneTitle}
        text={t.none}
        command={bodylessCommand(readServerAddress(), 'GET', `/audit/organization/${organizationId}?${query}`)}
      />
    );
  }
  return (
    <>
      {isTruncated && (
        <Alert color="yellow" icon={<IconAlertTriangle size={18} />} title={t.truncatedTitle} role="status">
          {isRange ? t.truncated(rows.length) : t.truncatedDay(rows.length)}
        </Alert>
      )}
      {shown.length === 0 ? (
        <EmptyState
          drawing="search"
          title={t.noMatches}
          action={
            <Button variant="default" onClick={onClear}>
              {t.clearFilters}
            </Button>
          }
        />
      ) : (
        <EventTable rows={shown} names={names} label={t.title} />
      )}
      <div className="tw-list-end">
        <span role="status">{t.shownCount(shown.length, rows.length)}</span>
        <details className="tw-use-api">
          <summary>{t.exportAll}</summary>
          <CommandBlock text={writeExport(organizationId, days)} />
        </details>
      </div>
    </>
  );
}
