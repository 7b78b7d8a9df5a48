// What needs attention, worst first, each with the page where it is solved.

import {
  type Icon,
  IconBan,
  IconCalendarEvent,
  IconCertificate,
  IconDeviceMobilePlus,
  IconPlugConnectedX,
  IconUserQuestion,
  IconWebhook,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Attention, AttentionItem } from '../../../overviews/attention-schema.ts';
import type { Texts } from '../../texts/en.ts';
import { useLocale, useTexts } from '../../texts/locale.ts';
import { formatPastDay, formatShortDate } from './news.ts';
import { ShowAll } from './show-all.tsx';

/** Number of items that are shown at first. */
const SHOWN = 5;
const VERY_SOON_DAYS = 7;

type Kind<Name extends AttentionItem['kind']> = Extract<AttentionItem, { kind: Name }>;

export function AttentionList({ attention: { items, total } }: { attention: Attention }) {
  const t = useTexts().home.attention;
  const [isAll, setAll] = useState(false);
  const shown = isAll ? items : items.slice(0, SHOWN);
  return (
    <section aria-labelledby="needs-attention" className="tw-attention">
      <div className="tw-home-head">
        <h2 id="needs-attention">{t.title}</h2>
        <span className="tw-count">{total}</span>
      </div>
      <ul className="tw-news">
        {shown.map((item) => (
          <li key={keyOf(item)} className="tw-attention-row">
            <Row item={item} />
          </li>
        ))}
      </ul>
      {shown.length < items.length && (
        <ShowAll
          label={total > items.length ? t.showWorst(items.length) : t.showAll(total)}
          onClick={() => setAll(true)}
        />
      )}
      {isAll && total > items.length && <p className="tw-small">{t.worst(items.length, total)}</p>}
    </section>
  );
}

function keyOf(item: AttentionItem): string {
  switch (item.kind) {
    case 'uninstallable':
      return `build ${item.build_id}`;
    case 'expiring':
      return `${item.signature} ${item.name} ${item.expires_at} ${item.project_id}`;
    case 'devices_waiting':
      return item.kind;
    case 'channel_awaited':
      return `phones ${item.channel_id}`;
    case 'access_requested':
      return `requests ${item.channel_id}`;
    default:
      return `webhook ${item.webhook_id}`;
  }
}

function Row({ item }: { item: AttentionItem }) {
  switch (item.kind) {
    case 'uninstallable':
      return <Uninstallable item={item} />;
    case 'expiring':
      return <Expiring item={item} />;
    case 'devices_waiting':
      return <DevicesWaiting item={item} />;
    case 'channel_awaited':
    case 'access_requested':
      return <OnChannel item={item} />;
    default:
      return <FailingWebhook item={item} />;
  }
}

interface LineProps {
  icon: Icon;
  tone: 'bad' | 'warn' | 'wait' | 'none';
  title: string;
  detail: string;
  /** The link to the page where it is solved. */
  children: ReactNode;
}

function Line({ icon: LineIcon, tone, title, detail, children }: LineProps) {
  return (
    <>
      <span className="tw-tone" data-tone={tone}>
        <LineIcon size={16} stroke={1.75} aria-hidden />
      </span>
      <div className="tw-two tw-grow">
        <span className="tw-name">{title}</span>
        <span className="tw-caption tw-ellipsis" title={detail}>
          {detail}
        </span>
      </div>
      {children}
    </>
  );
}

/** What the link of a line looks like. Its name says of which line it is. */
const buttonOf = (label: string, title: string) => ({
  className: 'tw-small-button',
  'aria-label': `${label}: ${title}`,
  children: label,
});

function Uninstallable({ item }: { item: Kind<'uninstallable'> }) {
  const { language, texts } = useLocale();
  const t = texts.home.attention;
  const isLive = item.channel_names.length > 0;
  const title = isLive ? t.uninstallable(item.project_name) : t.newestUninstallable(item.project_name);
  const where = [item.version_name, ...item.channel_names].join(', ');
  return (
    <Line icon={IconBan} tone="bad" title={title} detail={`${reasonOf(item, language, texts)} · ${where}`}>
      <Link
        to="/projects/$projectId/builds/$buildId"
        params={{ projectId: item.project_id, buildId: item.build_id }}
        {...buttonOf(t.open, title)}
      />
    </Line>
  );
}

/** Returns the reason as a sentence of its own. */
function reasonOf(item: Kind<'uninstallable'>, language: string, texts: Texts): string {
  const { reasons, simulator } = texts.releasing.status;
  const { reason, profile_expires_at: expiresAt } = item;
  if (reason === 'profile_expired' && expiresAt !== null) {
    return texts.home.attention.profileExpired(formatShortDate(Date.parse(expiresAt), Date.now(), language));
  }
  if (reason === 'simulator') return simulator;
  return reason in reasons ? capitalize(reasons[reason as keyof typeof reasons]) : '';
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function Expiring({ item }: { item: Kind<'expiring'> }) {
  const { language, texts } = useLocale();
  const t = texts.home.attention;
  const title = item.is_expired ? t.certificateExpired : t.expires[item.signature](item.days_left);
  const day = formatShortDate(Date.parse(item.expires_at), Date.now(), language);
  const name = item.name ?? item.project_name;
  return (
    <Line
      icon={item.signature === 'profile' ? IconCalendarEvent : IconCertificate}
      tone={item.days_left < VERY_SOON_DAYS ? 'bad' : 'warn'}
      title={title}
      detail={[name, day, item.channel_names.join(', ')].join(' · ')}
    >
      <Link to="/expiring" {...buttonOf(t.review, title)} />
    </Line>
  );
}

function DevicesWaiting({ item }: { item: Kind<'devices_waiting'> }) {
  const { language, texts } = useLocale();
  const t = texts.home.attention;
  const title = t.devicesWaiting(item.devices);
  const since = formatPastDay(Date.parse(item.since), Date.now(), language);
  return (
    <Line icon={IconDeviceMobilePlus} tone="wait" title={title} detail={t.devicesSince(since)}>
      <Link to="/devices" {...buttonOf(t.open, title)} />
    </Line>
  );
}

/** People or phones that wait for the team of a channel. */
function OnChannel({ item }: { item: Kind<'channel_awaited'> | Kind<'access_requested'> }) {
  const { language, texts } = useLocale();
  const t = texts.home.attention;
  const isAwaited = item.kind === 'channel_awaited';
  const title = isAwaited ? t.channelAwaited(item.devices) : t.accessRequested(item.requests);
  const since = formatPastDay(Date.parse(item.since), Date.now(), language);
  return (
    <Line
      icon={isAwaited ? IconDeviceMobilePlus : IconUserQuestion}
      tone="wait"
      title={title}
      detail={t.requestedFor(item.project_name, item.channel_name, since)}
    >
      <Link
        to="/projects/$projectId/channels/$channelId"
        params={{ projectId: item.project_id, channelId: item.channel_id }}
        {...buttonOf(t.open, title)}
      />
    </Line>
  );
}

function FailingWebhook({ item }: { item: Kind<'webhook_failing'> | Kind<'webhook_disabled'> }) {
  const texts = useTexts();
  const t = texts.home.attention;
  const name = item.name ?? t.webhook;
  const isFailing = item.kind === 'webhook_failing';
  const title = isFailing ? t.webhookFailing(item.deliveries) : t.webhookDisabled(item.deliveries);
  const problem = isFailing
    ? item.last_status_code === null
      ? item.last_error && texts.errors.outbound(item.last_error)
      : t.status(item.last_status_code)
    : null;
  return (
    <Line
      icon={isFailing ? IconPlugConnectedX : IconWebhook}
      tone={isFailing ? 'bad' : 'none'}
      title={title}
      detail={isFailing ? [name, problem].filter((part) => part !== null).join(' · ') : t.isDisabled(name)}
    >
      <Link to="/webhooks/$webhookId" params={{ webhookId: item.webhook_id }} {...buttonOf(t.review, title)} />
    </Line>
  );
}
