// What installs report of releases: taken in passing, and read by those who released them.

import type { Context } from '../core/context.ts';
import type { Install } from './credentials.ts';
import { installJournalOf } from './journal.ts';
import type { Report } from './schema.ts';

/** Takes a report; it is written later. One about a release of another project is taken and forgotten. */
export function takeReport(ctx: Context, install: Install, { release_id, state, error }: Report): void {
  installJournalOf(ctx).noteReport({
    installRowId: install.installRowId,
    projectId: install.app.projectId,
    releaseId: release_id ?? '',
    state,
    error: state === 'failed' ? (error ?? null) : null,
  });
}
