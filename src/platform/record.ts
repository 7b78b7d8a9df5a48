// Writes one domain event: the audit row, and the outbox row that webhooks are fanned out from.
import { type EventFacts, type EventName, events } from '../events.ts';
import type { Actor, Tx } from './context.ts';
import { enqueueJob } from './jobs.ts';
import { auditEvents, outboxEvents } from './tables/tables.ts';

/** Kind of the job that fans outbox events out to their subscribers. */
export const FAN_OUT_JOB = 'fan-out-events';

function actorColumns(actor: Actor): { actorKind: Actor['kind']; actorId: string | null; actorName: string | null } {
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

/** Writes the rows of one event; called through `tx.record` only. */
export function writeEvent(tx: Tx, name: EventName, facts: EventFacts): void {
  const definition = events[name];
  tx.db
    .insert(auditEvents)
    .values({
      id: tx.ids.next(),
      organizationId: facts.organizationId,
      developerId: facts.developerId ?? null,
      timestamp: tx.now,
      event: definition.audit.event,
      type: definition.audit.type,
      identifier: facts.identifier,
      ...actorColumns(tx.actor),
      ipAddress: tx.request.ipAddress,
      details: JSON.stringify(facts.details ?? {}),
    })
    .run();
  if (!('webhook' in definition) || facts.organizationId === null) return;
  tx.db
    .insert(outboxEvents)
    .values({
      id: tx.ids.next(),
      organizationId: facts.organizationId,
      projectId: facts.projectId ?? null,
      type: definition.webhook,
      data: JSON.stringify(facts.data ?? {}),
      createdAt: tx.now,
    })
    .run();
  enqueueJob(tx, { kind: FAN_OUT_JOB, dedupeKey: FAN_OUT_JOB });
}
