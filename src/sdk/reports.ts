// The reports of installs about releases.

import type { Context } from '../core/context.ts';
import type { Install } from './credentials.ts';
import { installJournalOf } from './journal.ts';
import type { Report } from './schema.ts';

/** Accepts a report and saves it later. Reports about releases of other projects are ignored. */
export function takeReport(ctx: Context, install: Install, { release_id, state, error }: Report): void {
  installJournalOf(ctx).noteReport({
    installRowId: install.installRowId,
    projectId: install.app.projectId,
    releaseId: release_id ?? '',
    state,
    error: state === 'failed' ? (error ?? null) : null,
  });
}
