// A table of audit events as sentences, newest first, rendered in steps. The recorded details are behind a button.
import { Button } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useId, useState } from 'react';
import type { AuditRow } from '../../audit/schema.ts';
import { useLocale, useTexts } from '../texts/locale.ts';
import { ActorPicture } from './actor-picture.tsx';
import { CommandBlock, Copyable } from './copy.tsx';
import { describeEvent, type EventNames, formatSentence, type SentencePart } from './event-sentence.ts';
import { actorName, formatChanges } from './event-texts.ts';
import { RelativeTime } from './time.tsx';
import { formatExact } from './times.ts';

const STEP = 100;

interface EventTableProps {
  rows: readonly AuditRow[];
  names: EventNames;
  /** The accessible name of the table. */
  label: string;
  /** How many rows are rendered at first and added each time. */
  step?: number;
}

export function EventTable({ rows, names, label, step = STEP }: EventTableProps) {
  const texts = useTexts();
  const t = texts.events;
  const [most, setMost] = useState(step);
  return (
    <>
      <table className="tw-events" aria-label={label}>
        <thead className="tw-offscreen">
          <tr>
            <th scope="col">{t.event}</th>
            <th scope="col">{t.time}</th>
            <th scope="col">{t.details}</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, most).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: events have no ids, and their order is stable
            <Row key={`${row.timestamp} ${row.identifier} ${index}`} row={row} names={names} />
          ))}
        </tbody>
      </table>
      {rows.length > most && (
        <div>
          <Button variant="default" onClick={() => setMost(most + step)}>
            {texts.audit.showMore}
          </Button>
        </div>
      )}
    </>
  );
}

function Row({ row, names }: { row: AuditRow; names: EventNames }) {
  const texts = useTexts();
  const [isOpen, setOpen] = useState(false);
  const record = useId();
  const { actor } = row;
  const parts = describeEvent(row, texts, names);
  const changes = formatChanges(row.details, texts);
  return (
    <>
      <tr className="tw-event" data-open={isOpen || undefined}>
        <td>
          <div className="tw-event-line">
            <ActorPicture kind={actor.kind} id={actor.identifier} name={actor.name} />
            <span>
              {parts.map((part, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their order
                <Part key={index} part={part} />
              ))}
              {changes !== '' && <span className="tw-event-changes"> {changes}</span>}
            </span>
          </div>
        </td>
        <td>
          <RelativeTime at={row.timestamp} />
        </td>
        <td>
          <button
            type="button"
            className="tw-row-icon tw-event-button"
            aria-expanded={isOpen}
            aria-controls={record}
            aria-label={texts.events.showDetails(formatSentence(parts))}
            title={texts.events.details}
            onClick={() => setOpen(!isOpen)}
          >
            <IconChevronRight size={16} stroke={1.75} aria-hidden />
          </button>
        </td>
      </tr>
      {isOpen && (
        <tr id={record} className="tw-event-record">
          <td colSpan={3}>
            <EventRecord row={row} />
          </td>
        </tr>
      )}
    </>
  );
}

function Part({ part: { text, isName, link } }: { part: SentencePart }): ReactNode {
  if (!isName) return text;
  switch (link?.to) {
    case 'project':
      return (
        <Link to="/projects/$projectId" params={{ projectId: link.projectId }} className="tw-event-name">
          {text}
        </Link>
      );
    case 'channel':
      return (
        <Link
          to="/projects/$projectId/channels/$channelId"
          params={{ projectId: link.projectId, channelId: link.channelId }}
          className="tw-event-name"
        >
          {text}
        </Link>
      );
    case 'build':
      return (
        <Link
          to="/projects/$projectId/builds/$buildId"
          params={{ projectId: link.projectId, buildId: link.buildId }}
          className="tw-event-name"
        >
          {text}
        </Link>
      );
    case 'webhook':
      return (
        <Link to="/webhooks/$webhookId" params={{ webhookId: link.webhookId }} className="tw-event-name">
          {text}
        </Link>
      );
    default:
      return <b className="tw-event-name">{text}</b>;
  }
}

/** The event as it was recorded. */
function EventRecord({ row }: { row: AuditRow }) {
  const { language, texts } = useLocale();
  const t = texts.events;
  const kind = texts.audit.actorKinds[row.actor.kind];
  const facts: [string, ReactNode][] = [
    [t.time, formatExact(Date.parse(row.timestamp), language)],
    [t.event, t.labelOf(row.event)],
    [t.type, t.labelOf(row.type)],
    [t.actor, [actorName(row) || t.system, kind].filter((text) => text !== '').join(', ')],
    [t.address, row.ip_address ?? '\u2013'],
    [t.target, <Copyable key="id" text={row.identifier} what={texts.audit.targetId} />],
  ];
  return (
    <>
      <dl className="tw-fact-lines">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {Object.keys(row.details).length > 0 && <CommandBlock text={JSON.stringify(row.details, null, 2)} />}
    </>
  );
}
