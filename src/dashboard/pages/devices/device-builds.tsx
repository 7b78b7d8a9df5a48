// The state of a device with Apple, and which live builds of the organization's iOS projects it can install.
import { Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import type { BuildDevice } from '../../../builds/device-schema.ts';
import type { Build } from '../../../builds/schema.ts';
import type { Device } from '../../../devices/schema.ts';
import type { Project } from '../../../projects/schema.ts';
import type { Release } from '../../../releases/schema.ts';
import { type Page, useApi, useRead, useReadAll } from '../../api/hooks.ts';
import { AppIcon } from '../../components/app-icon.tsx';
import { AppleStateBadge, RefusalText, registrationOf } from '../../components/apple-state.tsx';
import { formatBuild } from '../../components/build-name.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { RowsSkeleton } from '../../components/page.tsx';
import { buildIcon } from '../../components/project-icon.ts';
import { useAppleConnections } from '../../components/stores.ts';
import { TimeInText } from '../../components/time.tsx';
import { explainVerdict, VerdictBadge } from '../../components/verdict.tsx';
import { useTexts } from '../../texts/locale.ts';

/** Limited, because each project takes one request. */
const MAX_PROJECTS = 20;

export function DeviceDetails({ device }: { device: Device }) {
  return (
    <>
      <WithApple device={device} />
      <DeviceBuilds device={device} />
    </>
  );
}

/** What is known about the device in each Apple developer account. Empty without any. */
function WithApple({ device }: { device: Device }) {
  const texts = useTexts();
  const t = texts.stores.devices;
  const connections = useAppleConnections();
  if (connections.length === 0) return null;
  return (
    <section className="tw-details-part" aria-labelledby="apple-states">
      <h3 id="apple-states" className="tw-part-title">
        {t.details}
      </h3>
      <ul className="tw-list" aria-labelledby="apple-states">
        {connections.map(({ identifier, name }) => {
          const registration = registrationOf(device, identifier);
          const state = registration?.state ?? 'none';
          return (
            <li key={identifier}>
              <div className="tw-grow">
                <div className="tw-strong">{name}</div>
                <div className="tw-small">
                  {registration?.state === 'refused' && registration.message !== null ? (
                    <>
                      <RefusalText message={registration.message} />.
                    </>
                  ) : (
                    t.hints[state]
                  )}{' '}
                  {registration !== undefined && <TimeInText text={`${t.checked}.`} at={registration.checked_at} />}
                </div>
              </div>
              <AppleStateBadge state={state} />
            </li>
          );
        })}
      </ul>
      <h3 className="tw-part-title">{texts.devices.builds.title}</h3>
    </section>
  );
}

export function DeviceBuilds({ device }: { device: Device }) {
  const t = useTexts().devices.builds;
  const projects = useReadAll<Project>('/projects', { query: { organization_id: device.organization_id } });
  const all = projects.data?.filter(({ platform }) => platform === 'ios');
  const asked = all?.slice(0, MAX_PROJECTS) ?? [];
  const served = useLiveBuilds(asked);
  if (projects.error !== null) return <ErrorAlert error={projects.error} onRetry={() => void projects.refetch()} />;
  if (served.error !== null) return <ErrorAlert error={served.error} onRetry={served.retry} />;
  if (all === undefined || served.rows === undefined) return <RowsSkeleton rows={3} picture={0} />;
  if (served.rows.length === 0 && all.length <= MAX_PROJECTS) return <Text size="sm">{t.none}</Text>;
  return (
    <>
      {served.rows.length > 0 && (
        <ul className="tw-list" aria-label={t.title}>
          {served.rows.map(({ project, build }) => (
            <Row key={build.identifier} device={device} project={project} build={build} />
          ))}
        </ul>
      )}
      {all.length > MAX_PROJECTS && (
        <Text size="sm" c="dimmed">
          {t.truncated(MAX_PROJECTS)}
        </Text>
      )}
    </>
  );
}

interface LiveBuild {
  project: Project;
  build: Build;
}

/** Reads the live builds of these projects without duplicates. */
function useLiveBuilds(projects: readonly Project[]) {
  const client = useApi();
  const answers = useQueries({
    queries: projects.map(({ organization_id: organization, identifier }) => {
      const query = { organization_id: organization, project_id: identifier };
      return {
        queryKey: ['/releases/current', query],
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          client.send<Release[]>('GET', '/releases/current', { query, signal }),
      };
    }),
  });
  const rows = answers.flatMap(({ data }, index): LiveBuild[] => {
    const project = projects[index];
    if (project === undefined || data === undefined) return [];
    const builds = new Map(data.map(({ build }) => [build.identifier, build]));
    return [...builds.values()].map((build) => ({ project, build }));
  });
  return {
    rows: answers.some(({ isPending }) => isPending) ? undefined : rows,
    error: answers.find(({ error }) => error !== null)?.error ?? null,
    retry: () => {
      for (const { error, refetch } of answers) if (error !== null) void refetch();
    },
  };
}

function Row({ device, project, build }: LiveBuild & { device: Device }) {
  const texts = useTexts();
  const answer = useRead<Page<BuildDevice>>(`/builds/${build.identifier}/devices`, {
    query: { device_id: device.identifier },
  });
  const install = answer.data?.items[0]?.install;
  return (
    <li>
      <AppIcon src={buildIcon(project, build.icon_url) ?? project.icon_url} name={project.name} size={36} />
      <div className="tw-grow">
        <div className="tw-strong">
          {project.name} {formatBuild(build)}
        </div>
        <div className="tw-small">{install === undefined ? ' ' : explainVerdict(install, texts)}</div>
      </div>
      {install !== undefined && <VerdictBadge install={install} />}
      {answer.error !== null && <ErrorAlert error={answer.error} onRetry={() => void answer.refetch()} />}
    </li>
  );
}
