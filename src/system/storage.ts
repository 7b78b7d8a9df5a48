// The state of the storage, for the operator: each backend, the last move of objects, and objects with problems.
import type { Context } from '../core/context.ts';
import { MINUTE, timestamp, timestampOrNull } from '../lib/clock.ts';
import { backendOf } from '../lib/storage-backends.ts';
import { countContainers, listAllContainers } from '../storage/azure/container-store.ts';
import { findLastMove } from '../storage/move-store.ts';
import { countProblems, listProblems } from '../storage/problem-store.ts';
import type { SystemState } from './schema.ts';
import type { BuildTotals } from './store.ts';

const SHOWN_PROBLEMS = 20;
const SHOWN_CONTAINERS = 50;
/** A move that runs is seen about once a second, except while a large object is copied. */
const RUNNING_FOR_MS = 10 * MINUTE;

type State = SystemState['storage'];

/** Returns the state. `totals` has the number of builds and their bytes. */
export async function describeStorage(ctx: Context, totals: BuildTotals): Promise<State> {
  const backends = await Promise.all(
    [...ctx.storage.attached].map(async ([backend, storage]) => {
      const { ok, detail } = await storage.check();
      const failure = storage.failure?.();
      const { builds, bytes } = totals.backends.get(backend) ?? { builds: 0, bytes: 0 };
      return {
        backend,
        location: storage.location,
        ok,
        detail,
        builds,
        build_bytes: bytes,
        unavailable_since: timestampOrNull(failure?.at.getTime() ?? null),
        last_error: failure?.text ?? null,
      };
    }),
  );
  const home = backends.find(({ backend }) => backend === ctx.storage.backend);
  return {
    backend: ctx.storage.backend,
    ok: home?.ok ?? false,
    detail: home?.detail ?? '',
    builds: totals.builds,
    build_bytes: totals.bytes,
    backends,
    containers: describeContainers(ctx, totals),
    move: describeMove(ctx),
    problems: describeProblems(ctx),
  };
}

/** As recorded: nothing is asked, because a container that doesn't respond would delay the page. */
function describeContainers(ctx: Context, totals: BuildTotals): State['containers'] {
  const items = listAllContainers(ctx, SHOWN_CONTAINERS).map((row) => {
    const { builds, bytes } = totals.backends.get(`azure:${row.id}`) ?? { builds: 0, bytes: 0 };
    return {
      organization_id: row.organizationId,
      organization_name: row.organizationName,
      storage_account: row.account,
      container: row.container,
      is_active: row.state === 'active',
      builds,
      build_bytes: bytes,
      unavailable_since: timestampOrNull(row.unreachableSince),
      last_error: row.unreachableReason,
    };
  });
  return { count: Math.max(items.length, countContainers(ctx)), items };
}

function describeMove(ctx: Context): State['move'] {
  const move = findLastMove(ctx);
  if (move === undefined) return null;
  const { to, organizationId, startedAt, seenAt, finishedAt, objects, done, moved, bytes, failed } = move;
  const isRunning = ctx.clock.time() - seenAt < RUNNING_FOR_MS;
  return {
    to,
    organization_id: organizationId,
    state: finishedAt !== null ? 'finished' : isRunning ? 'running' : 'interrupted',
    started_at: timestamp(startedAt),
    finished_at: timestampOrNull(finishedAt),
    objects,
    done,
    moved,
    bytes,
    failed,
  };
}

function describeProblems(ctx: Context): State['problems'] {
  const objects = listProblems(ctx, SHOWN_PROBLEMS).map(({ what, key, build, project, problem, foundAt }) => ({
    object: what,
    key,
    backend: backendOf(ctx.storage.placeOf(key)),
    build_id: build,
    project_id: project,
    problem,
    found_at: timestamp(foundAt),
  }));
  return { count: Math.max(objects.length, countProblems(ctx)), objects };
}
