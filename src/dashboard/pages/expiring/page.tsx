// Profiles and certificates of live builds by expiry.

import { Badge, SegmentedControl, Text } from '@mantine/core';
import { IconCalendarEvent, IconCertificate } from '@tabler/icons-react';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ExpiringItem } from '../../../expiry/schema.ts';
import { platformFacts } from '../../../platforms.ts';
import { formatBuild } from '../../components/build-name.ts';
import { useEmailText } from '../../components/email-texts.ts';
import { expiryColor, useExpiring } from '../../components/expiring.ts';
import { EmptyState, PageHeader, QueryContent, RowsSkeleton } from '../../components/page.tsx';
import { bodylessCommand } from '../../components/request-command.ts';
import { TableHead } from '../../components/table-head.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { formatDay, formatExact } from '../../components/times.ts';
import { useOrganization } from '../../shell/current-user.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useLocale, useTexts } from '../../texts/locale.ts';
import { expiringRanges, readExpiringSearch, readRange } from './search.ts';

export function Page() {
  const t = useTexts().expiring;
  const emailText = useEmailText();
  const { base } = useServerInfo();
  const organization = useOrganization();
  const navigate = useNavigate();
  const days = readRange(useSearch({ from: '/shell/expiring' }));
  const items = useExpiring(days);
  const path = `/organizations/${organization.identifier}/expiring?days=${days}`;
  return (
    <>
      <PageHeader title={t.title} hint={emailText(t.hint)} />
      <div className="tw-toolbar">
        <SegmentedControl
          aria-label={t.within}
          value={String(days)}
          onChange={(value) =>
            void navigate({
              to: '/expiring',
              search: readExpiringSearch({ days: value }),
              replace: true,
              resetScroll: false,
            })
          }
          data={expiringRanges.map((value) => ({ value: String(value), label: t.days(value) }))}
        />
      </div>
      <QueryContent read={items} loading={<RowsSkeleton rows={5} picture={28} hasCaption head={64} />}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              drawing="calendar"
              title={t.noneTitle}
              text={t.none(days)}
              command={bodylessCommand(`${location.origin}${base}`, 'GET', path)}
            />
          ) : (
            <section className="tw-section" aria-label={t.title}>
              <Text size="sm" c="dimmed">
                {t.nextStep}
              </Text>
              <Table rows={rows} />
            </section>
          )
        }
      </QueryContent>
    </>
  );
}

function Table({ rows }: { rows: readonly ExpiringItem[] }) {
  const t = useTexts().expiring;
  const { sendsMail } = useServerInfo();
  return (
    <table className="tw-records" aria-label={t.title}>
      <TableHead titles={[t.type, t.expires, t.channel, t.build, ...(sendsMail ? [t.lastEmail] : [])]} />
      <tbody>
        {rows.map((item) => (
          <Row key={`${item.release_id} ${item.kind}`} item={item} hasLastEmail={sendsMail} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ item, hasLastEmail }: { item: ExpiringItem; hasLastEmail: boolean }) {
  const texts = useTexts();
  const t = texts.expiring;
  const { language } = useLocale();
  const moment = Date.parse(item.expires_at);
  const Icon = item.kind === 'profile' ? IconCalendarEvent : IconCertificate;
  const { project_id: projectId, channel_id: channelId, build_id: buildId } = item;
  return (
    <tr>
      <td>
        <div className="tw-cell">
          <span className="tw-tone" data-tone={item.is_expired ? 'bad' : 'warn'}>
            <Icon size={16} stroke={1.75} aria-hidden />
          </span>
          <div>
            <span className="tw-strong">{item.name ?? t.kinds[item.kind]}</span>
            <div className="tw-small">
              {item.name === null ? '' : `${t.kinds[item.kind]} · `}
              {platformFacts[item.platform].name}
            </div>
          </div>
        </div>
      </td>
      <td data-label={t.expires}>
        <div>
          <Badge variant="light" color={expiryColor(item)}>
            {item.is_expired ? t.expired : t.daysLeft(item.days_left)}
          </Badge>
          <div className="tw-small">
            <time dateTime={item.expires_at} title={formatExact(moment, language)}>
              {formatDay(moment, language)}
            </time>
          </div>
        </div>
      </td>
      <td data-label={t.channel}>
        <div>
          <Link to="/projects/$projectId/channels/$channelId" params={{ projectId, channelId }} className="tw-link">
            {item.channel_name}
          </Link>
          <div className="tw-small">{item.project_name}</div>
        </div>
      </td>
      <td data-label={t.build}>
        <Link to="/projects/$projectId/builds/$buildId" params={{ projectId, buildId }} className="tw-link">
          {formatBuild(item)}
        </Link>
      </td>
      {hasLastEmail && (
        <td data-label={t.lastEmail}>
          {item.last_warned_at === null ? '–' : <RelativeTime at={item.last_warned_at} />}
        </td>
      )}
    </tr>
  );
}
