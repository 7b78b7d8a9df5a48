// The error of a file that can't be uploaded. Separate from the reading of packages, which is loaded later.
import type { ArchiveProblem } from '../../inspection/package-findings.ts';
import type { Platform } from '../../platforms.ts';

export type RejectionReason = ArchiveProblem | 'bundle' | 'no_app' | 'unreadable' | 'wrong_platform' | 'too_large';

/** The file can't be uploaded. */
export class RejectedFile extends Error {
  readonly reason: RejectionReason;
  /** The package's platform, if known. */
  readonly found: Platform | undefined;
  constructor(reason: RejectionReason, found?: Platform) {
    super(reason);
    this.reason = reason;
    this.found = found;
  }
}
