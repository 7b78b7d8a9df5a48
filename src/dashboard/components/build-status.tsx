// The status line of a build: who can install it.
import { useQueries } from '@tanstack/react-query';
import type { BuildDeviceCount } from '../../builds/device-schema.ts';
import type { Build } from '../../builds/schema.ts';
import { type DeviceCount, describeStatus } from '../../compatibility/status-line.ts';
import { useApi } from '../api/hooks.ts';
import type { Texts } from '../texts/en.ts';
import { useLocale } from '../texts/locale.ts';
import { statusTone } from './status-tone.ts';
import { formatDay } from './times.ts';

/** The maximum number of builds for which one request counts devices. */
const COUNTED_AT_ONCE = 50;

/** Returns the line in the user's language. */
export function describeBuildStatus(build: Build, language: string, texts: Texts, count?: DeviceCount): string {
  const formatDate = (timestamp: string) => formatDay(Date.parse(timestamp), language);
  return describeStatus(build.installability, texts.releasing.status, formatDate, count);
}

/**
 * Reads the number of registered devices that can install each build, by build id. Only iOS builds have such counts.
 * All builds must belong to one project.
 */
export function useDeviceCounts(builds: readonly Build[]): ReadonlyMap<string, BuildDeviceCount> {
  const client = useApi();
  // The builds are divided before some are filtered out, so that the same parts are requested when the list grows.
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

/** Renders the line with a known count. */
export function StatusLine({ build, count }: { build: Build; count?: DeviceCount | undefined }) {
  const { language, texts } = useLocale();
  return (
    <span className="tw-build-status" data-tone={statusTone(build, count)}>
      {describeBuildStatus(build, language, texts, count)}
    </span>
  );
}

/** Renders the line of a single build, and reads its count. */
export function BuildStatus({ build }: { build: Build }) {
  const counts = useDeviceCounts([build]);
  return <StatusLine build={build} count={counts.get(build.identifier)} />;
}
