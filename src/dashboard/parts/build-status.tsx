// One line that says who can install a build, wherever it is shown.
import { useQueries } from '@tanstack/react-query';
import type { BuildDeviceCount } from '../../builds/device-schema.ts';
import type { Build } from '../../builds/schema.ts';
import { type DeviceCount, describeStatus } from '../../compatibility/status-line.ts';
import { useApi } from '../api/api-context.ts';
import type { Texts } from '../texts/en.ts';
import { useSpeech } from '../texts/languages.ts';
import { formatDay } from './formats.ts';

/** As many builds as one request counts devices for at most. */
const COUNTED_AT_ONCE = 50;

/** The line in the reader's language. */
export function describeBuildStatus(build: Build, language: string, texts: Texts, count?: DeviceCount): string {
  const formatDate = (timestamp: string) => formatDay(Date.parse(timestamp), language);
  return describeStatus(build.installability, texts.releasing.status, formatDate, count);
}

/** Registered devices that can install each of the builds, by build; only iOS builds have any. Builds are of one project. */
export function useDeviceCounts(builds: readonly Build[]): ReadonlyMap<string, BuildDeviceCount> {
  const client = useApi();
  // Divided before builds are left out, so that a longer list asks for the same parts.
  const parts = Array.from({ length: Math.ceil(builds.length / COUNTED_AT_ONCE) }, (_, index) =>
    builds
      .slice(index * COUNTED_AT_ONCE, (index + 1) * COUNTED_AT_ONCE)
      .filter((build) => build.platform === 'ios' && build.installability.status === 'installable'),
  ).filter((part) => part.length > 0);
  const answers = useQueries({
    queries: parts.map((part) => {
      const query = {
        organization_id: part[0]?.organization_id,
        project_id: part[0]?.project_id,
        build_ids: part.map(({ identifier }) => identifier).join(','),
      };
      const path = '/builds/device-counts';
      return {
        queryKey: [path, query],
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          client.send<{ items: BuildDeviceCount[] }>('GET', path, { query, signal }),
      };
    }),
  });
  return new Map(answers.flatMap(({ data }) => data?.items.map((item) => [item.build_id, item] as const) ?? []));
}

/** The line, with a count that is known already. */
export function StatusLine({ build, count }: { build: Build; count?: DeviceCount | undefined }) {
  const { language, texts } = useSpeech();
  return (
    <span className="tw-build-status" data-status={build.installability.status}>
      {describeBuildStatus(build, language, texts, count)}
    </span>
  );
}

/** The line of a build that stands alone; it counts the devices itself. */
export function BuildStatus({ build }: { build: Build }) {
  const counts = useDeviceCounts([build]);
  return <StatusLine build={build} count={counts.get(build.identifier)} />;
}
