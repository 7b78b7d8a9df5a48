// The apps of the organization as a table or as cards.

import { UnstyledButton } from '@mantine/core';
import { IconLayoutGrid, IconList } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { ProjectActivity } from '../../../overviews/activity-schema.ts';
import type { ProjectOverview } from '../../../overviews/project-schema.ts';
import { platformFacts } from '../../../platforms.ts';
import { AppIcon } from '../../components/app-icon.tsx';
import { groupApps } from '../../components/apps.ts';
import { formatBuild } from '../../components/build-name.ts';
import { describeBuildStatus } from '../../components/build-status.tsx';
import { ChannelSign } from '../../components/channel-sign.tsx';
import { listedIcon } from '../../components/project-icon.ts';
import { statusTone } from '../../components/status-tone.ts';
import { RelativeTime } from '../../components/time.tsx';
import { useLocale, useTexts } from '../../texts/locale.ts';
import { orderRoute } from './news.ts';
import { readView, saveView, type View } from './view-choice.ts';

const AppSearch = lazy(async () => ({ default: (await import('./app-search.tsx')).AppSearch }));

/** From this number of apps on, a field finds them by name. */
const SEARCHED_FROM = 9;
/** Number of channels that are shown in a row. */
const SHOWN_CHANNELS = 4;

/** A project of an app. */
interface Part {
  overview: ProjectOverview;
  activity: ProjectActivity | undefined;
}

/** One project for each platform. */
type App = readonly Part[];

interface AppsProps {
  projects: readonly ProjectOverview[];
  activityOf: ReadonlyMap<string, ProjectActivity>;
  signs: ReadonlyMap<string, string>;
}

export function Apps({ projects, activityOf, signs }: AppsProps) {
  const t = useTexts().home.apps;
  const [view, setView] = useState<View>(readView);
  const [search, setSearch] = useState('');
  const term = search.trim().toLowerCase();
  const parts = projects.map((overview) => ({ overview, activity: activityOf.get(overview.project.identifier) }));
  const all: App[] = groupApps(parts, ({ overview }) => overview.project);
  const apps = all.filter((app) =>
    app.some(({ overview: { project } }) =>
      [project.name, project.bundle_identifier].some((text) => text?.toLowerCase().includes(term)),
    ),
  );
  const choose = (chosen: View) => {
    setView(chosen);
    saveView(chosen);
  };
  return (
    <section aria-labelledby="apps" className="tw-apps">
      <div className="tw-home-head">
        <h2 id="apps">{t.title}</h2>
        <span className="tw-count">{all.length}</span>
        <span className="tw-grow" />
        {all.length >= SEARCHED_FROM && (
          <Suspense fallback={<span className="tw-apps-search" />}>
            <AppSearch value={search} onChange={setSearch} />
          </Suspense>
        )}
        <ViewSwitch view={view} onChoose={choose} />
      </div>
      {apps.length === 0 ? (
        <p className="tw-small">{t.noMatches}</p>
      ) : view === 'rows' ? (
        <AppTable apps={apps} signs={signs} />
      ) : (
        <ul className="tw-cards">
          {apps.map((app) => (
            <li key={keyOf(app)}>
              <AppCard app={app} signs={signs} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const keyOf = (app: App) => app[0]?.overview.project.identifier;

function ViewSwitch({ view, onChoose }: { view: View; onChoose(view: View): void }) {
  const t = useTexts().home.apps;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields of a form
    <div className="tw-view-switch" role="group" aria-label={t.view}>
      {(['rows', 'cards'] as const).map((name) => (
        <UnstyledButton
          key={name}
          aria-pressed={view === name}
          aria-label={t.views[name]}
          title={t.views[name]}
          onClick={() => onChoose(name)}
        >
          {name === 'rows' ? <IconList size={16} stroke={1.75} /> : <IconLayoutGrid size={16} stroke={1.75} />}
        </UnstyledButton>
      ))}
    </div>
  );
}

function AppTable({ apps, signs }: { apps: readonly App[]; signs: ReadonlyMap<string, string> }) {
  const t = useTexts().home.apps;
  return (
    <table className="tw-app-table" aria-labelledby="apps">
      <thead>
        <tr>
          <th scope="col">{t.app}</th>
          <th scope="col">{t.channels}</th>
          <th scope="col">{t.newestBuild}</th>
          <th scope="col" className="tw-app-week">
            {t.buildsInWeek}
          </th>
          <th scope="col" className="tw-app-upload">
            {t.lastUpload}
          </th>
        </tr>
      </thead>
      <tbody>
        {apps.flatMap((app) =>
          app.map((part, index) => (
            <AppRow
              key={part.overview.project.identifier}
              part={part}
              signs={signs}
              isFirst={index === 0}
              isLast={index === app.length - 1}
            />
          )),
        )}
      </tbody>
    </table>
  );
}

interface AppRowProps {
  part: Part;
  signs: ReadonlyMap<string, string>;
  /** The first platform of an app names it, and the last ends it. */
  isFirst: boolean;
  isLast: boolean;
}

function AppRow({ part: { overview, activity }, signs, isFirst, isLast }: AppRowProps) {
  const t = useTexts().home.apps;
  return (
    <tr data-continued={!isLast || undefined}>
      <td>{isFirst ? <AppName overview={overview} /> : <PlatformName overview={overview} />}</td>
      <td className="tw-app-channels">
        <Route activity={activity} signs={signs} />
      </td>
      <td className="tw-app-status">
        <Status overview={overview} activity={activity} />
      </td>
      <td className="tw-app-week">{activity === undefined ? '' : t.buildCount(activity.builds_last_7_days)}</td>
      <td className="tw-app-upload">
        {overview.last_upload !== null && <RelativeTime at={overview.last_upload.uploaded_at} />}
      </td>
    </tr>
  );
}

/** The link to a further platform of the app above. Its name is only shown if it differs. */
function PlatformName({ overview: { project } }: { overview: ProjectOverview }) {
  const isSame = project.siblings.some(({ name }) => name === project.name);
  return (
    <Link
      to="/projects/$projectId"
      params={{ projectId: project.identifier }}
      className="tw-app-name tw-app-platform tw-cover-link"
    >
      <span className="tw-two">
        <span className={isSame ? 'tw-offscreen' : 'tw-name tw-ellipsis'}>{project.name} </span>
        <span className="tw-caption">{platformFacts[project.platform].name}</span>
      </span>
    </Link>
  );
}

function AppName({ overview }: { overview: ProjectOverview }) {
  const { project } = overview;
  return (
    <Link to="/projects/$projectId" params={{ projectId: project.identifier }} className="tw-app-name tw-cover-link">
      <AppIcon src={listedIcon(overview)} name={project.name} size={32} />
      <span className="tw-two">
        <span className="tw-name tw-ellipsis">{project.name}</span>
        <span className="tw-caption">{platformFacts[project.platform].name}</span>
      </span>
    </Link>
  );
}

interface RouteProps {
  activity: ProjectActivity | undefined;
  signs: ReadonlyMap<string, string>;
}

/** The versions on the channels, in the order in which builds reach them. */
function Route({ activity, signs }: RouteProps) {
  const t = useTexts().home.apps;
  const channels = orderRoute(activity?.channels ?? []);
  if (channels.length === 0) return null;
  const rest = channels.slice(SHOWN_CHANNELS);
  return (
    <ol className="tw-app-route">
      {channels.slice(0, SHOWN_CHANNELS).map(({ channel_id: id, name, current }) => (
        <li key={id} title={current === null ? name : `${name}: ${current.version_name}`}>
          <ChannelSign sign={signs.get(id) ?? '?'} name={name} isOff={current === null} />
          {current === null ? (
            <span className="tw-offscreen">{t.noRelease}</span>
          ) : (
            <span className="tw-figures">{current.version_name}</span>
          )}
        </li>
      ))}
      {rest.length > 0 && <li title={t.moreNames(rest.map(({ name }) => name))}>{t.more(rest.length)}</li>}
    </ol>
  );
}

/** The newest build: its version, and its status line with a dot in its color. */
function Status({ overview: { last_upload: build }, activity }: Part) {
  const { language, texts } = useLocale();
  if (build === null) return <span className="tw-truth tw-small">{texts.home.apps.noBuilds}</span>;
  const devices = activity?.newest_build_devices ?? undefined;
  // Both lists are read separately, so a new upload may be in only one of them.
  const count = devices?.build_id === build.identifier ? devices : undefined;
  return (
    <span className="tw-truth">
      <span className="tw-dot" data-tone={statusTone(build, count)} aria-hidden />
      <span className="tw-newest">
        <span className="tw-figures">{formatBuild(build)}</span>{' '}
        <span>{describeBuildStatus(build, language, texts, count)}</span>
      </span>
    </span>
  );
}

function AppCard({ app, signs }: { app: App; signs: ReadonlyMap<string, string> }) {
  const t = useTexts().home.apps;
  return (
    <div className="tw-card tw-app-card" data-parts={app.length > 1 || undefined}>
      {app.map((part, index) => {
        const { overview, activity } = part;
        return (
          <div key={overview.project.identifier} className="tw-app-part">
            {index === 0 ? <AppName overview={overview} /> : <PlatformName overview={overview} />}
            <Route activity={activity} signs={signs} />
            <Status {...part} />
            {overview.last_upload !== null && (
              <p className="tw-caption tw-bare">
                {t.lastUpload} <RelativeTime at={overview.last_upload.uploaded_at} />
              </p>
            )}
          </div>
        );
      })}
    </div>
  );
}
