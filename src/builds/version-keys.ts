// After an upgrade, the newest builds of a project get the keys of their order with the first question for it, if not before.
import type { ProjectContext } from '../core/context.ts';
import { definePart } from '../core/parts.ts';
import { fillVersionKeysOf, isFillingVersions, VERSION_KEYS_OF_STEP } from '../data/background-fills.ts';
import { startSteps } from '../lib/steps.ts';

/** How many builds of a project get their key within a request. */
const MAX_FILLED = 10_000;

/** What was filled, or is being filled, by project. */
export const filledVersionsOf = definePart<Map<string, Promise<void>>>({ open: () => new Map() });

/**
 * Fills the keys of a project's newest builds. Those of a project with more builds follow in the background, and are the last of the list until
 * then: later requests don't fill more, because each would wait for it.
 */
export async function awaitVersionKeys(ctx: ProjectContext): Promise<void> {
  const filled = filledVersionsOf(ctx);
  if (!isFillingVersions(ctx.db.$client)) {
    filled.clear();
    return;
  }
  const { id } = ctx.project;
  let filling = filled.get(id);
  if (filling === undefined) {
    filling = fillNewest(ctx);
    filled.set(id, filling);
    filling.catch(() => filled.delete(id));
  }
  await filling;
}

async function fillNewest(ctx: ProjectContext): Promise<void> {
  const step = startSteps();
  const fill = () => ctx.transact((tx) => fillVersionKeysOf(tx.db.$client, ctx.project.id), { bookkeeping: true });
  for (let filled = 0; filled < MAX_FILLED && fill(); filled += VERSION_KEYS_OF_STEP) await step();
}
