// Lets other requests run while a list is built or counted.

/** How long the work runs before other requests get their turn. */
const STEP_MS = 5;
const SHORT_STEP_MS = 1;

/**
 * Work that waits for its next step, longest first. It belongs to the event loop, which all servers of a process share: each turn
 * has one step. Otherwise the steps of all concurrent work would run back to back, and other requests wait for all of them.
 */
const waiting: (() => void)[] = [];

/** Returns a function to call between items: it waits for other requests when a step has taken long enough. */
export function startSteps(): () => Promise<void> {
  // The first step is part of this turn. It's short if other work waits: a request with several short lists
  // shouldn't wait for a turn for each of them.
  let stepEnds = performance.now() + (waiting.length > 0 ? SHORT_STEP_MS : STEP_MS);
  return async () => {
    if (performance.now() <= stepEnds) return;
    await new Promise<void>((begin) => {
      if (waiting.push(begin) === 1) setImmediate(beginNext);
    });
    stepEnds = performance.now() + STEP_MS;
  };
}

function beginNext(): void {
  const begin = waiting.shift();
  // An immediate that is set during another one runs in the next turn.
  if (waiting.length > 0) setImmediate(beginNext);
  begin?.();
}
