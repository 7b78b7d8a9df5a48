// Lets other requests run while a list is built or counted.
import { setImmediate as yieldToOthers } from 'node:timers/promises';

/** How long the work runs before other requests get their turn. */
const STEP_MS = 5;

/** Returns a function to call between items: it waits for other requests when a step has taken long enough. */
export function startSteps(): () => Promise<void> {
  let stepEnds = performance.now() + STEP_MS;
  return async () => {
    if (performance.now() <= stepEnds) return;
    await yieldToOthers();
    stepEnds = performance.now() + STEP_MS;
  };
}
