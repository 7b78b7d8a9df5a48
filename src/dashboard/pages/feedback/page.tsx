// What testers wrote about the releases of a project.
import { Button, Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { Link, useSearch } from '@tanstack/react-router';
import type { Feedback, FeedbackState } from '../../../feedback/schema.ts';
import { useRead, useReadPages } from '../../api/hooks.ts';
import { ErrorPage } from '../../components/errors.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { EmptyState, Loading, PageHeader, QueryContent } from '../../components/page.tsx';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';
import { FeedbackCard } from './card.tsx';
import { type FeedbackFilters, type StateFilter, stateFilters } from './filters.ts';

const PAGE = 50;

export function Page() {
  const t = useTexts().feedback;
  const filters = useSearch({ from: '/shell/projects/$projectId/feedback' });
  return (
    <>
      <PageHeader title={t.title} hint={t.hint} actions={<ExportMenu filters={filters} />} />
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
  return (
    <>
      <div className="tw-build-filters">
        <Link to="/projects/$projectId/feedback" params={{ projectId: identifier }} search={{}} className="tw-link">
          {t.showAll}
        </Link>
      </div>
      <QueryContent read={read}>{(feedback) => <FeedbackCard feedback={feedback} filters={{}} />}</QueryContent>
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

function ExportMenu({ filters }: { filters: FeedbackFilters }) {
  const t = useTexts().feedback;
  const { base } = useServerInfo();
  const { identifier } = useProject();
  const linkTo = (format: 'csv' | 'json') =>
    `${base}/api/v1/projects/${identifier}/feedback/export?${new URLSearchParams({ ...queryOf(filters), format })}`;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />}>
          {t.export}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={linkTo('csv')} download>
          CSV
        </Menu.Item>
        <Menu.Item component="a" href={linkTo('json')} download>
          JSON
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
