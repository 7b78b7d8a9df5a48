// What testers wrote about the releases of a project.
import { Button, Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Feedback, FeedbackState } from '../../../feedback/schema.ts';
import { useChange, useRead, useReadPages } from '../../api/hooks.ts';
import { saveText } from '../../components/download.ts';
import { ErrorAlert, ErrorPage } from '../../components/errors.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { EmptyState, Loading, PageHeader, QueryContent } from '../../components/page.tsx';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';
import { FeedbackCard } from './card.tsx';
import { type FeedbackFilters, type StateFilter, stateFilters } from './filters.ts';

const PAGE = 50;

export function Page() {
  const t = useTexts().feedback;
  const filters = useSearch({ from: '/shell/projects/$projectId/feedback' });
  const save = useExport(filters);
  return (
    <>
      <PageHeader
        title={t.title}
        hint={t.hint}
        actions={<ExportMenu isBusy={save.isPending} onChosen={(format) => save.mutate(format)} />}
      />
      {save.error !== null && <ErrorAlert error={save.error} />}
      {filters.feedback === undefined ? <FeedbackList filters={filters} /> : <Single id={filters.feedback} />}
    </>
  );
}

/** The filters as the API names them. */
function queryOf({ state, release, source }: FeedbackFilters) {
  const only: FeedbackState = state === 'done' ? 'done' : 'open';
  return {
    ...(state === 'all' ? {} : { state: only }),
    ...(release === undefined ? {} : { release_id: release }),
    ...(source === undefined ? {} : { source }),
  };
}

function FeedbackList({ filters }: { filters: FeedbackFilters }) {
  const t = useTexts().feedback;
  const { identifier } = useProject();
  const list = useReadPages<Feedback>(`/projects/${identifier}/feedback`, {
    query: { ...queryOf(filters), limit: PAGE },
  });
  const { rows } = list;
  const isFiltered = filters.state !== undefined || filters.release !== undefined || filters.source !== undefined;
  return (
    <>
      <div className="tw-build-filters">
        <StateChips filters={filters} />
        {filters.release !== undefined && <ReleaseFilter filters={filters} first={rows?.[0]} />}
      </div>
      {rows === undefined ? (
        list.error === null ? (
          <Loading rows={3} height={120} />
        ) : (
          <ErrorPage error={list.error} onRetry={() => void list.refetch()} />
        )
      ) : rows.length === 0 ? (
        <EmptyState
          drawing={isFiltered ? 'search' : 'events'}
          title={isFiltered ? t.noneMatching : t.emptyTitle}
          text={isFiltered ? t.noneMatchingText : t.emptyText}
        />
      ) : (
        <ul className="tw-feedback" aria-label={t.title}>
          {rows.map((item) => (
            <li key={item.identifier}>
              <FeedbackCard feedback={item} filters={filters} />
            </li>
          ))}
        </ul>
      )}
      {rows !== undefined && <LoadMore list={list} />}
    </>
  );
}

/** One piece of feedback, from the link of a message. */
function Single({ id }: { id: string }) {
  const t = useTexts().feedback;
  const { identifier } = useProject();
  const read = useRead<Feedback>(`/projects/${identifier}/feedback/${id}`);
  const navigate = useNavigate();
  const all = { to: '/projects/$projectId/feedback', params: { projectId: identifier }, search: {} } as const;
  return (
    <>
      <div className="tw-build-filters">
        <Link {...all} className="tw-link">
          {t.showAll}
        </Link>
      </div>
      <QueryContent read={read}>
        {(feedback) => (
          <FeedbackCard feedback={feedback} filters={{}} onDeleted={() => void navigate({ ...all, replace: true })} />
        )}
      </QueryContent>
    </>
  );
}

/** The filter by state. Its choice is part of the address. */
function StateChips({ filters }: { filters: FeedbackFilters }) {
  const t = useTexts().feedback;
  const { identifier } = useProject();
  const { state: current = 'open', ...others } = filters;
  const searchFor = (state: StateFilter): FeedbackFilters => (state === 'open' ? others : { ...others, state });
  return (
    <nav aria-label={t.state}>
      <ul className="tw-filter-chips">
        {stateFilters.map((state) => (
          <li key={state}>
            <Link
              to="/projects/$projectId/feedback"
              params={{ projectId: identifier }}
              search={searchFor(state)}
              replace
              resetScroll={false}
              activeOptions={{ exact: true }}
              aria-current={state === current ? 'true' : undefined}
            >
              {t.states[state]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The release whose feedback is shown, with a way back to all. */
function ReleaseFilter({ filters, first }: { filters: FeedbackFilters; first: Feedback | undefined }) {
  const t = useTexts().feedback;
  const { identifier } = useProject();
  const { release: _release, ...others } = filters;
  const name = first === undefined ? t.oneVersion : t.version(first.version_name ?? '?', first.build_number ?? '?');
  return (
    <span>
      {name}{' '}
      <Link to="/projects/$projectId/feedback" params={{ projectId: identifier }} search={others} className="tw-link">
        {t.allVersions}
      </Link>
    </span>
  );
}

type ExportFormat = 'csv' | 'json';

/** Saves the feedback that the filters select as a file. */
function useExport(filters: FeedbackFilters) {
  const { identifier } = useProject();
  const path = `/projects/${identifier}/feedback/export`;
  return useChange(async (api, format: ExportFormat) => {
    const query = { ...queryOf(filters), format };
    if (format === 'csv') saveText(await api.send<string>('GET', path, { query }), 'feedback.csv', 'text/csv');
    else {
      const items = await api.send<Feedback[]>('GET', path, { query });
      saveText(JSON.stringify(items, null, 2), 'feedback.json', 'application/json');
    }
  }, []);
}

function ExportMenu({ isBusy, onChosen }: { isBusy: boolean; onChosen(format: ExportFormat): void }) {
  const t = useTexts().feedback;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} loading={isBusy}>
          {t.export}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChosen('csv')}>CSV</Menu.Item>
        <Menu.Item onClick={() => onChosen('json')}>JSON</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
