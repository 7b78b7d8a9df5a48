// The error of a file that can't be uploaded. Separate from the reading of packages, which is loaded later.
import type { ArchiveProblem } from '../../inspection/package-findings.ts';
import type { Platform } from '../../platforms.ts';

export type RejectionReason = ArchiveProblem | 'bundle' | 'no_app' | 'unreadable' | 'wrong_platform' | 'too_large';

/** The file can't be uploaded. */
export class RejectedFile extends Error {
  readonly reason: RejectionReason;
  /** The package's platform, if known. */
  readonly found: Platform | undefined;
  /** The limit in bytes, if the file is too large. */
  readonly maxBytes: number | undefined;
  constructor(reason: RejectionReason, { found, maxBytes }: { found?: Platform; maxBytes?: number } = {}) {
    super(reason);
    this.reason = reason;
    this.found = found;
    this.maxBytes = maxBytes;
  }
}
