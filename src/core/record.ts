// Writes one domain event: the audit row with its link in the hash chain, and the outbox row for webhook deliveries.

import { prepared } from '../data/database.ts';
import { type Author, type EventFacts, type EventName, events } from '../events.ts';
import { type Actor, developerIdOf } from './actor.ts';
import { type AuditContent, chainOf, findHead, hashRow } from './audit-chain.ts';
import type { Tx } from './context.ts';
import { enqueueJob } from './job-store.ts';
import { requireActiveSession } from './session-state.ts';

/** Kind of the job that fans out events to their subscribers. */
export const FAN_OUT_JOB = 'fan-out-events';

/** Raw SQL, because every change runs it and a built query costs many times as much. */
const insertAuditRow = prepared((db) =>
  db.$client.prepare<[AuditContent & { chain: string; sequence: number; hash: string }]>(
    `INSERT INTO audit_events (id, organization_id, developer_id, timestamp, event, type, identifier, actor_kind, actor_id,
        actor_name, ip_address, details, chain, sequence, hash)
      VALUES (@id, @organizationId, @developerId, @timestamp, @event, @type, @identifier, @actorKind, @actorId,
        @actorName, @ipAddress, @details, @chain, @sequence, @hash)`,
  ),
);

const insertOutboxRow = prepared((db) =>
  db.$client.prepare<
    [
      {
        id: string;
        organizationId: string;
        projectId: string | null;
        type: string;
        data: string;
        details: string;
        now: number;
      },
    ]
  >(
    `INSERT INTO outbox_events (id, organization_id, project_id, type, data, details, created_at)
      VALUES (@id, @organizationId, @projectId, @type, @data, @details, @now)`,
  ),
);

/** Returns the actor of a transaction as audit columns. */
export function authorOf({ actor, request }: Pick<Tx, 'actor' | 'request'>): Author {
  return { ...actorColumns(actor), developerId: developerIdOf(actor), ipAddress: request.ipAddress };
}

function actorColumns(actor: Actor): Pick<Author, 'actorKind' | 'actorId' | 'actorName'> {
  switch (actor.kind) {
    case 'anonymous':
    case 'system':
      return { actorKind: actor.kind, actorId: null, actorName: null };
    case 'developer':
      return { actorKind: actor.kind, actorId: actor.id, actorName: actor.displayName };
    default:
      return { actorKind: actor.kind, actorId: actor.id, actorName: actor.name };
  }
}

/**
 * Checks that a change of sign-in methods was confirmed by a step-up and that the session is still active. Throws an Error
 * without a step-up, and `unauthorized` if the session has ended.
 */
function requireStepUp(tx: Tx, name: EventName): void {
  const { actor } = tx;
  if (actor.kind === 'anonymous' || actor.kind === 'system') return;
  if (actor.kind !== 'developer' || actor.hasSteppedUp !== true) {
    throw new Error(`${name} was recorded without a step-up`);
  }
  requireActiveSession(tx, actor);
}

/** Writes the rows of one event. Only called through `tx.record`. */
export function writeEvent(tx: Tx, name: EventName, facts: EventFacts): void {
  const definition = events[name];
  if ('requiresStepUp' in definition) requireStepUp(tx, name);
  const author = facts.author ?? authorOf(tx);
  writeAuditRow(tx, {
    id: tx.ids.next(),
    organizationId: facts.organizationId,
    developerId: (facts.developerId === undefined ? author.developerId : facts.developerId) ?? null,
    timestamp: tx.now,
    event: definition.audit.event,
    type: definition.audit.type,
    identifier: facts.identifier,
    actorKind: author.actorKind,
    actorId: author.actorId,
    actorName: author.actorName,
    ipAddress: author.ipAddress,
    details: JSON.stringify(facts.details ?? {}),
  });
  if (!('webhook' in definition) || facts.organizationId === null) return;
  const { organizationId } = facts;
  const { data = {}, details = {}, also } = facts;
  const announced: { webhook: string; data: object; details: object }[] = [
    { webhook: definition.webhook, data, details },
  ];
  if ('also' in definition && also !== undefined) announced.push({ webhook: definition.also, ...also });
  for (const one of announced) {
    insertOutboxRow(tx).run({
      id: tx.ids.next(),
      organizationId,
      projectId: facts.projectId ?? null,
      type: one.webhook,
      data: JSON.stringify(one.data),
      details: JSON.stringify({ ...one.details, ...actingPerson(author) }),
      now: tx.now,
    });
  }
  enqueueJob(tx, { kind: FAN_OUT_JOB, dedupeKey: FAN_OUT_JOB });
}

/** Who acted, for messages: a person by id, so that the name of a deleted account isn't kept; a token by its name. */
function actingPerson({ actorKind, actorName, developerId }: Author): Record<string, unknown> {
  if (actorKind === 'project_access_token') return { by: { token: actorName } };
  return developerId === null || actorKind === 'anonymous' || actorKind === 'system' ? {} : { by: { developerId } };
}

/** The transaction has the write lock, so no other row can be added after the same head. */
function writeAuditRow(tx: Tx, content: AuditContent): void {
  const chain = chainOf(content);
  const head = findHead(tx, chain);
  const sequence = head.sequence + 1;
  insertAuditRow(tx).run({ ...content, chain, sequence, hash: hashRow(head.hash, chain, sequence, content) });
}
