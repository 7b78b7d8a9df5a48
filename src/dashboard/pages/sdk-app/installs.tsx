// The enrolled installs of an SDK app.
import { Text } from '@mantine/core';
import type { SdkApp, SdkInstall } from '../../../sdk/app-schema.ts';
import { useReadPages } from '../../api/hooks.ts';
import { CopyButton } from '../../components/copy.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { QueryContent, RowsSkeleton } from '../../components/page.tsx';
import { ReportBadge } from '../../components/report-badge.tsx';
import { TableHead } from '../../components/table-head.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useTexts } from '../../texts/locale.ts';

const PAGE = 50;

export function Installs({ app }: { app: SdkApp }) {
  const t = useTexts().sdk.installs;
  const list = useReadPages<SdkInstall>(`/sdk-apps/${app.identifier}/installs`, { query: { limit: PAGE } });
  return (
    <>
      <QueryContent read={{ ...list, data: list.rows }} loading={<RowsSkeleton rows={4} picture={0} />}>
        {(rows) =>
          rows.length === 0 ? (
            <Text size="sm" c="dimmed">
              {app.revoked_at === null ? t.none : t.noneRevoked}
            </Text>
          ) : (
            <table className="tw-records" aria-label={t.title}>
              <TableHead titles={[t.device, t.build, t.lastSeen, t.enrolled, t.lastReport]} hasActions />
              <tbody>
                {rows.map((install) => (
                  <Row key={install.identifier} install={install} />
                ))}
              </tbody>
            </table>
          )
        }
      </QueryContent>
      <LoadMore list={list} />
    </>
  );
}

function Row({ install }: { install: SdkInstall }) {
  const texts = useTexts();
  const t = texts.sdk.installs;
  const { device_model: model, os_version: system, version_name: version, build_number: number } = install;
  const { last_report: report } = install;
  return (
    <tr>
      <td data-label={t.device}>
        <div>
          {model ?? t.unknown}
          {system !== null && <div className="tw-small">{system}</div>}
        </div>
      </td>
      <td data-label={t.build} className="tw-strong">
        {`${version ?? t.unknown}${number === null ? '' : ` (${number})`}`}
      </td>
      <td data-label={t.lastSeen}>
        <RelativeTime at={install.last_seen_at} />
      </td>
      <td data-label={t.enrolled}>
        <RelativeTime at={install.enrolled_at} />
      </td>
      <td data-label={t.lastReport}>
        {report === null ? (
          t.noReport
        ) : (
          <div>
            <ReportBadge state={report.state} />{' '}
            <span className="tw-small">
              <RelativeTime at={report.reported_at} />
            </span>
            {report.error !== null && <div className="tw-small">{report.error}</div>}
          </div>
        )}
      </td>
      <td className="tw-records-end">
        <CopyButton text={install.install_id} what={t.id} />
      </td>
    </tr>
  );
}
