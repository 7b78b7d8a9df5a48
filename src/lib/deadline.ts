// Deadlines for work that goes on while this process runs.

/** A pause of the process takes one of them at most. */
const PARTS = 20;

/**
 * Calls `onEnd` after a time in which the process ran. After a pause, such as that of a virtual machine that is moved to another
 * host, a timer would be due before the work has continued.
 */
export function startDeadline(milliseconds: number, onEnd: () => void): NodeJS.Timeout {
  let left = PARTS;
  const timer = setTimeout(
    () => {
      left -= 1;
      if (left === 0) onEnd();
      else timer.refresh();
    },
    Math.ceil(milliseconds / PARTS),
  );
  return timer;
}
