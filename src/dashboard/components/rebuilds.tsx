// Current builds whose profile lacks devices that are registered with Apple: a rebuild would include them.
import { Alert } from '@mantine/core';
import { IconRefreshDot } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Rebuild } from '../../stores/schema.ts';
import { useReadAll, useReadPages } from '../api/hooks.ts';
import { useOrganization } from '../shell/current-user.ts';
import { useTexts } from '../texts/locale.ts';
import { formatBuild } from './build-name.ts';
import { LoadMore } from './load-more.tsx';

const PAGE = 100;
/** Devices that are named. */
const NAMED = 3;

const path = '/devices/rebuilds';

/** Reads those of a project. */
export function useRebuilds(projectId: string) {
  const query = { organization_id: useOrganization().identifier, project_id: projectId };
  return useReadAll<Rebuild>(path, { query });
}

/** Says that a rebuild would include more devices, and names some. */
export function RebuildAlert({ rebuild }: { rebuild: Rebuild }) {
  const t = useTexts().stores.rebuilds;
  return (
    <Alert color="accent" icon={<IconRefreshDot size={18} />} title={t.title(rebuild.missing_devices)}>
      {t.text(rebuild.missing_devices, nameSome(rebuild), rebuild.profile_name)}
    </Alert>
  );
}

/** Renders the builds as a list with links, or nothing without any. */
export function RebuildList() {
  const t = useTexts().stores.rebuilds;
  const query = { organization_id: useOrganization().identifier, limit: PAGE };
  const list = useReadPages<Rebuild>(path, { query });
  const { rows = [], hasNextPage, isPending } = list;
  // What is below appears with it.
  if (isPending) return <div aria-busy="true" hidden />;
  if (rows.length === 0) return null;
  return (
    <section className="tw-section" aria-labelledby="rebuilds">
      <div className="tw-section-title">
        <h2 id="rebuilds" className="tw-part-title">
          {t.list}
        </h2>
        <span className="tw-count">
          {rows.length}
          {hasNextPage && '+'}
        </span>
      </div>
      <ul className="tw-list" aria-labelledby="rebuilds">
        {rows.map((rebuild) => (
          <li key={`${rebuild.channel_id} ${rebuild.build_id}`}>
            <span className="tw-tone" data-tone="wait">
              <IconRefreshDot size={16} stroke={1.75} aria-hidden />
            </span>
            <div className="tw-grow">
              <div>
                <Link
                  to="/projects/$projectId/builds/$buildId"
                  params={{ projectId: rebuild.project_id, buildId: rebuild.build_id }}
                  className="tw-link tw-strong"
                >
                  {rebuild.project_name} {formatBuild(rebuild)}
                </Link>{' '}
                <span className="tw-small">{rebuild.channel_name}</span>
              </div>
              <div className="tw-small">
                {t.title(rebuild.missing_devices)}: {nameSome(rebuild)}
              </div>
            </div>
          </li>
        ))}
      </ul>
      <LoadMore list={list} />
    </section>
  );
}

function nameSome({ devices, missing_devices: count }: Rebuild): string {
  const names = devices.slice(0, NAMED).map(({ name }) => name);
  const others = count - names.length;
  return [...names, ...(others > 0 ? [`+${others}`] : [])].join(', ');
}
