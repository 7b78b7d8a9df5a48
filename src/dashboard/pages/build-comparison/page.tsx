// Two builds of a project compared.
import { NativeSelect } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { BuildComparison } from '../../../builds/compare-schema.ts';
import type { Build } from '../../../builds/schema.ts';
import { nameMinimumVersion } from '../../../compatibility/os-version.ts';
import { formatBytes } from '../../../lib/formats.ts';
import type { Platform } from '../../../platforms.ts';
import { type Page as ListPage, useRead } from '../../api/hooks.ts';
import { formatBuild } from '../../components/build-name.ts';
import { describeChanges, formatSizeChange } from '../../components/comparison-lines.ts';
import { describePermission, nameEntitlement } from '../../components/package-words.ts';
import { PageHeader, QueryContent, RowsSkeleton } from '../../components/page.tsx';
import { formatExact } from '../../components/times.ts';
import { useLocale } from '../../texts/locale.ts';
import { inProject, useProject } from '../project/project-context.ts';

/** Builds that are offered for comparison. */
const OFFERED = 100;

export function Page() {
  const { texts } = useLocale();
  const t = texts.comparison;
  const from = '/shell/projects/$projectId/builds/$buildId/compare';
  const { projectId, buildId } = useParams({ from });
  const { with: chosen } = useSearch({ from });
  const navigate = useNavigate();
  const project = useProject();
  const build = useRead<Build>(`/builds/${buildId}`);
  const list = useRead<ListPage<Build>>('/builds', { query: { ...inProject(project), status: 'all', limit: OFFERED } });
  const others = list.data?.items.filter(({ identifier }) => identifier !== buildId) ?? [];
  // Ids ascend with time.
  const otherId = chosen ?? others.find(({ identifier }) => identifier < buildId)?.identifier ?? others[0]?.identifier;
  const isListed = others.some(({ identifier }) => identifier === otherId);
  return (
    <QueryContent read={build} loading={<RowsSkeleton rows={4} />}>
      {(after) => (
        <>
          <PageHeader title={`${t.title}: ${formatBuild(after)}`} />
          {list.data !== undefined && otherId === undefined && <p>{t.noOther}</p>}
          {list.data !== undefined && otherId !== undefined && (
            <div className="tw-comparison">
              <NativeSelect
                label={t.compareWith}
                value={otherId}
                data={[
                  ...(isListed ? [] : [{ value: otherId, label: otherId }]),
                  ...others.map((one) => ({ value: one.identifier, label: formatBuild(one) })),
                ]}
                onChange={(event) =>
                  void navigate({
                    to: '/projects/$projectId/builds/$buildId/compare',
                    params: { projectId, buildId },
                    search: { with: event.currentTarget.value },
                    replace: true,
                  })
                }
              />
              <Comparison key={otherId} buildId={buildId} otherId={otherId} platform={after.platform} />
            </div>
          )}
        </>
      )}
    </QueryContent>
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

function Parts({ data, platform }: { data: BuildComparison; platform: Platform }) {
  const { texts, language } = useLocale();
  const t = texts.comparison;
  const { before, after } = data;
  const lines = describeChanges(data, platform, { texts, language });
  const isIos = platform === 'ios';
  const isUnreadable = before.inspection_status === 'unreadable' || after.inspection_status === 'unreadable';
  const moment = (at: string | null) => (at === null ? null : formatExact(Date.parse(at), language));
  const rows = [
    [
      t.minimum,
      nameMinimumVersion(platform, data.min_os_version.before),
      nameMinimumVersion(platform, data.min_os_version.after),
    ],
    ...(isIos ? [] : [[t.target, data.target_sdk.before, data.target_sdk.after]]),
    ...(data.profile === null
      ? []
      : (['name', 'kind', 'team_id'] as const).map((field) => [
          `${t.profile}: ${t.profileFields[field]}`,
          data.profile?.[field].before ?? null,
          data.profile?.[field].after ?? null,
        ])),
    ...(data.profile === null
      ? []
      : [
          [
            `${t.profile}: ${t.profileFields.expires_at}`,
            moment(data.profile.expires_at.before),
            moment(data.profile.expires_at.after),
          ],
        ]),
  ];
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
      <Part title={t.system}>
        <table className="tw-comparison-table">
          <thead>
            <tr>
              <th scope="col">{t.part}</th>
              <th scope="col">{t.before}</th>
              <th scope="col">{t.after}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, then, now]) => (
              <tr key={name} data-changed={then !== now || undefined}>
                <th scope="row">{name}</th>
                <td>{then ?? '–'}</td>
                <td>{now ?? '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Part>
      <Part title={t.permissions}>
        <Change change={data.permissions} name={(raw) => describePermission(raw, platform, texts).name} />
      </Part>
      {isIos && (
        <Part title={t.entitlements}>
          <Change
            change={data.entitlements}
            isUnknown={isUnreadable}
            name={(raw) => nameEntitlement(raw, texts) ?? raw}
          />
        </Part>
      )}
      {isIos && (
        <Part title={t.devices}>
          <Change change={data.devices} isUnknown={isUnreadable} />
        </Part>
      )}
      {!isIos && (
        <Part title={t.certificates}>
          <Change change={data.certificates} />
        </Part>
      )}
      <Part title={t.libraries}>
        <Libraries data={data} />
      </Part>
    </>
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
  const rows =
    then === null || now === null
      ? [total]
      : [...partNames.map((name) => [t.parts[name], then[name], now[name]] as const), total];
  return (
    <>
      <table className="tw-comparison-table">
        <thead>
          <tr>
            {[t.part, t.before, t.after, t.change].map((title) => (
              <th scope="col" key={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, old, fresh]) => (
            <tr key={name} data-changed={old !== fresh || undefined}>
              <th scope="row">{name}</th>
              <td>{formatBytes(old, language)}</td>
              <td>{formatBytes(fresh, language)}</td>
              <td>{formatSizeChange(fresh - old, old, language) ?? t.same}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {(then === null || now === null) && <p className="tw-caption">{t.unknown}</p>}
    </>
  );
}

type SetChange = NonNullable<BuildComparison['permissions']>;

interface ChangeProps {
  change: (SetChange & { changed?: string[]; changed_count?: number }) | null;
  /** Whether null means that it's unknown. */
  isUnknown?: boolean;
  name?(raw: string): string;
}

function Change({ change, isUnknown = true, name = (raw) => raw }: ChangeProps) {
  const t = useLocale().texts.comparison;
  if (change === null) return <p className="tw-caption">{isUnknown ? t.unknown : t.notApplicable}</p>;
  const { added, removed, changed = [], added_count, removed_count, changed_count = 0 } = change;
  if (added_count + removed_count + changed_count === 0) return <p className="tw-caption">{t.same}</p>;
  return (
    <>
      <Names title={t.added} names={added.map(name)} count={added_count} />
      <Names title={t.removed} names={removed.map(name)} count={removed_count} />
      <Names title={t.changed} names={changed.map(name)} count={changed_count} />
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

function Libraries({ data: { libraries } }: { data: BuildComparison }) {
  const { changed = [], ...sets } = libraries ?? {};
  if (libraries === null) return <Change change={null} />;
  const lines = changed.map(({ name, before, after }) => `${name}: ${before ?? '?'} → ${after ?? '?'}`);
  return <Change change={{ ...libraries, ...sets, changed: lines }} />;
}
