// Which commits are on disk. What leaves the process, such as a response or an email, waits for the commits before it.

export interface Durability {
  /**
   * Returns undefined if all commits are on disk, otherwise a promise for those made so far. It rejects if the flush failed; then
   * nothing may be told to anyone, and the process ends.
   */
  settle(): Promise<void> | undefined;
  /** Runs something that needs the log for itself, such as truncating it: now, or after the checkpoint that is running. */
  whenLogIsFree(work: () => void): void;
}

/** Of a connection whose commits flush the log themselves, or whose owner doesn't want to wait for the disk. */
export const settledByCommit: Durability = {
  settle: () => undefined,
  whenLogIsFree: (work) => work(),
};
