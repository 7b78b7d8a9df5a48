// The profiles and certificates of what the channels serve, by when they end.

import { Badge, SegmentedControl, Text } from '@mantine/core';
import { IconCertificate } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ExpiringItem } from '../../../expiry/schema.ts';
import { platformFacts } from '../../../platforms.ts';
import { nameBuild } from '../../parts/build-name.ts';
import { colorOf, useExpiring } from '../../parts/expiring.ts';
import { formatDay, formatExact } from '../../parts/formats.ts';
import { useMailTexts } from '../../parts/mail-texts.ts';
import { Empty, PageHead, Shown } from '../../parts/page.tsx';
import { readCommand } from '../../parts/request-command.ts';
import { TableHead } from '../../parts/table-head.tsx';
import { Time } from '../../parts/time.tsx';
import { useFacts } from '../../shell/facts.ts';
import { useOrganization } from '../../shell/me.ts';
import { useSpeech, useTexts } from '../../texts/languages.ts';

const RANGES = [30, 60, 90, 366] as const;

export function Page() {
  const t = useTexts().expiring;
  const say = useMailTexts();
  const { base } = useFacts();
  const organization = useOrganization();
  const [days, setDays] = useState<number>(60);
  const things = useExpiring(days);
  const path = `/organizations/${organization.identifier}/expiring?days=${days}`;
  return (
    <>
      <PageHead title={t.title} hint={say(t.hint)} />
      <div className="tw-row tw-wrap">
        <Text size="sm">{t.within}</Text>
        <SegmentedControl
          aria-label={t.within}
          value={String(days)}
          onChange={(value) => setDays(Number(value))}
          data={RANGES.map((value) => ({ value: String(value), label: t.days(value) }))}
        />
      </div>
      <Shown read={things}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty
              icon={<IconCertificate size={40} stroke={1.4} aria-hidden />}
              title={t.noneTitle}
              text={t.none(days)}
              command={readCommand(`${location.origin}${base}`, 'GET', path)}
            />
          ) : (
            <section className="tw-card" aria-label={t.title}>
              <Text size="sm">{t.nextStep}</Text>
              <Table rows={rows} />
            </section>
          )
        }
      </Shown>
    </>
  );
}

function Table({ rows }: { rows: readonly ExpiringItem[] }) {
  const t = useTexts().expiring;
  return (
    <table className="tw-records" aria-label={t.title}>
      <TableHead titles={[t.type, t.expires, t.channel, t.build, t.lastEmail]} />
      <tbody>
        {rows.map((thing) => (
          <Row key={`${thing.release_id} ${thing.kind}`} thing={thing} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ thing }: { thing: ExpiringItem }) {
  const texts = useTexts();
  const t = texts.expiring;
  const { language } = useSpeech();
  const moment = Date.parse(thing.expires_at);
  const { project_id: projectId, channel_id: channelId, build_id: buildId } = thing;
  return (
    <tr>
      <td data-label={t.type}>
        <div>
          <span className="tw-strong">{thing.name ?? t.kinds[thing.kind]}</span>
          <div className="tw-small">
            {thing.name === null ? '' : `${t.kinds[thing.kind]} · `}
            {platformFacts[thing.platform].name}
          </div>
        </div>
      </td>
      <td data-label={t.expires}>
        <div>
          <Badge variant="light" color={colorOf(thing)}>
            {thing.is_expired ? t.expired : t.daysLeft(thing.days_left)}
          </Badge>
          <div className="tw-small">
            <time dateTime={thing.expires_at} title={formatExact(moment, language)}>
              {formatDay(moment, language)}
            </time>
          </div>
        </div>
      </td>
      <td data-label={t.channel}>
        <div>
          <Link to="/projects/$projectId/channels/$channelId" params={{ projectId, channelId }} className="tw-link">
            {thing.channel_name}
          </Link>
          <div className="tw-small">{thing.project_name}</div>
        </div>
      </td>
      <td data-label={t.build}>
        <Link to="/projects/$projectId/builds/$buildId" params={{ projectId, buildId }} className="tw-link">
          {nameBuild(thing)}
        </Link>
      </td>
      <td data-label={t.lastEmail}>{thing.last_warned_at === null ? '–' : <Time at={thing.last_warned_at} />}</td>
    </tr>
  );
}
