// Two builds of a project compared.
import { NativeSelect } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { BuildComparison } from '../../../builds/compare-schema.ts';
import type { Build } from '../../../builds/schema.ts';
import { nameMinimumVersion } from '../../../compatibility/os-version.ts';
import { formatAlignedBytes } from '../../../lib/formats.ts';
import type { Platform } from '../../../platforms.ts';
import { type Page as ListPage, useRead, useReadPages } from '../../api/hooks.ts';
import { formatBuild } from '../../components/build-name.ts';
import { describeChanges, formatSizeChange } from '../../components/comparison-lines.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { LoadMore, type LoadMoreProps } from '../../components/load-more.tsx';
import { describePermission, nameEntitlement } from '../../components/package-words.ts';
import { PageHeader, QueryContent, RowsSkeleton } from '../../components/page.tsx';
import { formatExact } from '../../components/times.ts';
import { type Locale, useLocale } from '../../texts/locale.ts';
import { inProject, useProject } from '../project/project-context.ts';

/** Builds of a page of the choice. */
const PAGE = 100;
/** Several, because builds can be uploaded in the same moment. */
const EARLIER = 20;

export function Page() {
  const t = useLocale().texts.comparison;
  const from = '/shell/projects/$projectId/builds/$buildId/compare';
  const { buildId } = useParams({ from });
  const { with: chosen } = useSearch({ from });
  const build = useRead<Build>(`/builds/${buildId}`);
  const offered = useOffered(build.data, chosen);
  const otherId = chosen ?? offered.suggestedId;
  return (
    <QueryContent read={build} loading={<RowsSkeleton rows={4} />}>
      {(after) => (
        <>
          <PageHeader
            title={offered.builds?.length === 0 ? t.title : t.titleOf(formatBuild(after))}
            beside={
              offered.builds !== undefined &&
              otherId !== undefined && <Choice build={after} offered={offered} otherId={otherId} />
            }
          />
          {offered.error !== null && <ErrorAlert error={offered.error} onRetry={offered.retry} />}
          {offered.builds?.length === 0 && otherId === undefined && <p>{t.noOther}</p>}
          {otherId !== undefined && (
            <div className="tw-comparison">
              <Comparison key={otherId} buildId={buildId} otherId={otherId} platform={after.platform} />
            </div>
          )}
        </>
      )}
    </QueryContent>
  );
}

interface Offered {
  /** The builds that can be chosen, newest first; undefined while they are loading. */
  builds: readonly Build[] | undefined;
  /** The build before this one, or the newest if there is none; undefined until it's known. */
  suggestedId: string | undefined;
  list: LoadMoreProps['list'];
  error: Error | null;
  retry(): void;
}

/** Reads the builds that a build can be compared with: the newest ones, the one before it, and the chosen one. */
function useOffered(build: Build | undefined, chosen: string | undefined): Offered {
  const query = { ...inProject(useProject()), status: 'all' };
  const list = useReadPages<Build>('/builds', { query: { ...query, limit: PAGE } });
  // The list may begin with more recent builds than this one.
  const earlier = useRead<ListPage<Build>>('/builds', {
    query: { ...query, uploaded_until: build && justAfter(build.uploaded_at), limit: EARLIER },
    isEnabled: build !== undefined,
  });
  const isListed = list.rows?.some(({ identifier }) => identifier === chosen) !== false;
  const other = useRead<Build>(`/builds/${chosen}`, { isEnabled: chosen !== undefined && !isListed });
  const isRead = list.rows !== undefined && earlier.data !== undefined;
  const found = [
    ...(list.rows ?? []),
    ...(earlier.data?.items ?? []),
    ...(other.data === undefined ? [] : [other.data]),
  ];
  const builds = [...new Map(found.map((one) => [one.identifier, one])).values()]
    .filter(({ identifier }) => identifier !== build?.identifier)
    // Ids ascend with time.
    .toSorted((one, another) => (one.identifier < another.identifier ? 1 : -1));
  const before = builds.find(({ identifier }) => build !== undefined && identifier < build.identifier);
  return {
    builds: isRead ? builds : undefined,
    suggestedId: isRead ? (before ?? builds[0])?.identifier : undefined,
    list,
    error: list.error ?? earlier.error,
    retry() {
      void list.refetch();
      void earlier.refetch();
    },
  };
}

/** Returns the next millisecond, because the filter excludes its time. */
function justAfter(time: string): string {
  return new Date(Date.parse(time) + 1).toISOString();
}

/** The choice of the other build. Older builds are loaded on request. */
function Choice({
  build,
  offered: { builds = [], list },
  otherId,
}: {
  build: Build;
  offered: Offered;
  otherId: string;
}) {
  const t = useLocale().texts.comparison;
  const navigate = useNavigate();
  const isListed = builds.some(({ identifier }) => identifier === otherId);
  return (
    <>
      <NativeSelect
        aria-label={t.compareWith}
        value={otherId}
        data={[
          ...(isListed ? [] : [{ value: otherId, label: otherId }]),
          ...builds.map((one) => ({ value: one.identifier, label: formatBuild(one) })),
        ]}
        onChange={(event) =>
          void navigate({
            to: '/projects/$projectId/builds/$buildId/compare',
            params: { projectId: build.project_id, buildId: build.identifier },
            search: { with: event.currentTarget.value },
            replace: true,
          })
        }
      />
      <LoadMore list={list} label={t.loadOlder} />
    </>
  );
}

function Comparison({ buildId, otherId, platform }: { buildId: string; otherId: string; platform: Platform }) {
  const read = useRead<BuildComparison>(`/builds/${buildId}/compare/${otherId}`);
  return (
    <QueryContent read={read} loading={<RowsSkeleton rows={6} picture={0} />}>
      {(data) => <Parts data={data} platform={platform} />}
    </QueryContent>
  );
}

/** Shows what differs. What is the same or unknown is only named, so that nobody has to read it to find that out. */
function Parts({ data, platform }: { data: BuildComparison; platform: Platform }) {
  const { texts, language } = useLocale();
  const t = texts.comparison;
  const { before, after, permissions, entitlements, devices, certificates, libraries } = data;
  const lines = describeChanges(data, platform, { texts, language });
  const isIos = platform === 'ios';
  const isUnreadable = before.inspection_status === 'unreadable' || after.inspection_status === 'unreadable';
  const system = listSystemChanges(data, platform, { texts, language });
  const nameOfPermission = (raw: string) => describePermission(raw, platform, texts).name;
  const sets: SetPart[] = [
    { title: t.permissions, change: permissions, name: nameOfPermission },
    ...(isIos
      ? [
          { title: t.entitlements, change: entitlements, name: (raw: string) => nameEntitlement(raw, texts) ?? raw },
          { title: t.devices, change: devices },
        ]
      : [{ title: t.certificates, change: certificates }]),
    { title: t.libraries, change: withVersions(libraries) },
  ];
  const unchanged = [
    ...(system.length === 0 ? [t.system] : []),
    ...sets.filter(({ change }) => change !== null && countChanges(change) === 0).map(({ title }) => title),
  ];
  // Without a profile there are no entitlements or devices to compare; everything else is always recorded.
  const isUnknown = ({ title, change }: SetPart) =>
    change === null && (isUnreadable || (title !== t.entitlements && title !== t.devices));
  const unknown = sets.filter(isUnknown).map(({ title }) => title);
  const list = new Intl.ListFormat(language);
  return (
    <>
      <Part title={t.forTesters}>
        {lines.length === 0 ? (
          <p>{t.nothingForTesters}</p>
        ) : (
          <ul className="tw-change-lines">
            {lines.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
      </Part>
      <Part title={t.size}>
        <SizeTable data={data} />
      </Part>
      {system.length > 0 && (
        <Part title={t.system}>
          <table className="tw-comparison-table">
            <Head titles={[t.part, formatBuild(before), formatBuild(after)]} />
            <tbody>
              {system.map(([name, then, now]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{then ?? '–'}</td>
                  <td>{now ?? '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Part>
      )}
      {sets.map(
        ({ title, change, name }) =>
          change !== null &&
          countChanges(change) > 0 && (
            <Part key={title} title={title}>
              <Change change={change} name={name} />
            </Part>
          ),
      )}
      {(unchanged.length > 0 || unknown.length > 0) && (
        <Part title={t.rest}>
          {unchanged.length > 0 && <p className="tw-small">{t.unchanged(list.format(unchanged))}</p>}
          {unknown.length > 0 && <p className="tw-small">{t.unknownParts(list.format(unknown))}</p>}
        </Part>
      )}
    </>
  );
}

/** A part that consists of names: what was added, removed and changed. */
interface SetPart {
  title: string;
  change: SetChange | null;
  name?: (raw: string) => string;
}

type SetChange = NonNullable<BuildComparison['permissions']> & { changed?: string[]; changed_count?: number };

function countChanges({ added_count: added, removed_count: removed, changed_count: changed = 0 }: SetChange): number {
  return added + removed + changed;
}

/** Names each changed library with its versions. */
function withVersions(libraries: BuildComparison['libraries']): SetChange | null {
  if (libraries === null) return null;
  const { changed = [], ...sets } = libraries;
  return { ...sets, changed: changed.map(({ name, before, after }) => `${name}: ${before ?? '?'} → ${after ?? '?'}`) };
}

type Row = readonly [name: string, before: string | number | null, after: string | number | null];

/** Returns what differs in the required system and the profile. */
function listSystemChanges(
  { min_os_version: minimum, target_sdk: target, profile }: BuildComparison,
  platform: Platform,
  { texts, language }: Pick<Locale, 'texts' | 'language'>,
): Row[] {
  const t = texts.comparison;
  const moment = (at: string | null) => (at === null ? null : formatExact(Date.parse(at), language));
  const named = (name: string) => `${t.profile}: ${name}`;
  const rows: Row[] = [
    [t.minimum, nameMinimumVersion(platform, minimum.before), nameMinimumVersion(platform, minimum.after)],
    ...(platform === 'ios' ? [] : [[t.target, target.before, target.after] as const]),
    ...(profile === null
      ? []
      : [
          ...(['name', 'kind', 'team_id'] as const).map(
            (field) => [named(t.profileFields[field]), profile[field].before, profile[field].after] as const,
          ),
          [
            named(t.profileFields.expires_at),
            moment(profile.expires_at.before),
            moment(profile.expires_at.after),
          ] as const,
        ]),
  ];
  return rows.filter(([, before, after]) => before !== after);
}

function Head({ titles }: { titles: readonly string[] }) {
  return (
    <thead>
      <tr>
        {titles.map((title) => (
          <th scope="col" key={title}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className="tw-part-title">{title}</h2>
      {children}
    </section>
  );
}

const partNames = ['code', 'resources', 'frameworks', 'assets', 'other'] as const;

function SizeTable({ data: { before, after } }: { data: BuildComparison }) {
  const { texts, language } = useLocale();
  const t = texts.comparison;
  const total = [t.total, before.size_bytes, after.size_bytes] as const;
  const [then, now] = [before.parts, after.parts];
  const parts =
    then === null || now === null ? [] : partNames.map((name) => [t.parts[name], then[name], now[name]] as const);
  const rows = [...parts.filter(([, old, fresh]) => old > 0 || fresh > 0), total];
  return (
    <>
      <table className="tw-comparison-table" data-numbers>
        <Head titles={[t.part, formatBuild(before), formatBuild(after), t.change]} />
        <tbody>
          {rows.map(([name, old, fresh]) => (
            <tr key={name} data-changed={old !== fresh || undefined}>
              <th scope="row">{name}</th>
              <td>{formatAlignedBytes(old, language)}</td>
              <td>{formatAlignedBytes(fresh, language)}</td>
              <td>{formatSizeChange(fresh - old, old, language) ?? t.same}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {parts.length === 0 && <p className="tw-caption">{t.unknown}</p>}
    </>
  );
}

function Change({ change, name = (raw) => raw }: { change: SetChange; name: SetPart['name'] }) {
  const t = useLocale().texts.comparison;
  const { added, removed, changed = [], added_count, removed_count, changed_count = 0 } = change;
  return (
    <>
      <Names title={t.added} names={added.map(name)} count={added_count} />
      <Names title={t.removed} names={removed.map(name)} count={removed_count} />
      <Names title={t.changed} names={changed} count={changed_count} />
    </>
  );
}

function Names({ title, names, count }: { title: string; names: readonly string[]; count: number }) {
  const t = useLocale().texts.comparison;
  if (count === 0) return null;
  return (
    <>
      <h3 className="tw-comparison-kind">{`${title} (${count})`}</h3>
      <ul className="tw-change-lines">
        {names.map((one, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two names can be the same
          <li key={index}>{one}</li>
        ))}
        {count > names.length && <li>{t.more(count - names.length)}</li>}
      </ul>
    </>
  );
}
