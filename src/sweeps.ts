// All cleanup jobs (docs/specification/cleanup-jobs.md#jobs).
import { exportsSweep } from './accounts/exports/sweeps.ts';
import { deletionSweep } from './accounts/sweeps.ts';
import { auditRetentionSweep } from './audit/retention.ts';
import { billingSweep, reservationsSweep } from './billing/sweeps.ts';
import { packageSweep } from './builds/integrity-sweep.ts';
import { buildRetentionSweep } from './builds/retention.ts';
import { pendingUploadsSweep } from './builds/sweeps.ts';
import { rotateFederationKeys } from './byosa/federation.ts';
import { previewSweep } from './channels/previews.ts';
import { deleteOldSlugs } from './channels/slugs.ts';
import type { Config } from './config.ts';
import type { Sweep } from './core/context.ts';
import { deleteOldFinishedWaits, deleteOldWaiting } from './devices/waiting.ts';
import { deleteExpiredEnrollments } from './enrollment/sweeps.ts';
import { expirySweep } from './expiry/sweeps.ts';
import { deleteEndedShareLinks } from './install/share-links.ts';
import { invitationSweep } from './invitations/sweeps.ts';
import { deleteInactiveInstalls } from './sdk/cleanup.ts';
import { mfaRemindersSweep } from './second-factors/reminders.ts';
import { createSessionSweep } from './sign-in/sweeps.ts';
import { deleteEndedSsoSessions } from './sso/cleanup.ts';
import { orphanedObjectsSweep } from './storage/orphans.ts';
import { certificateSweep } from './tls/sweep.ts';
import { deliverySweep } from './webhooks/deliveries.ts';

export const sweeps: readonly Sweep[] = [
  pendingUploadsSweep,
  orphanedObjectsSweep,
  packageSweep,
  buildRetentionSweep,
  auditRetentionSweep,
  mfaRemindersSweep,
  invitationSweep,
  createSessionSweep(
    [deleteExpiredEnrollments, deleteOldWaiting, deleteOldFinishedWaits, deleteOldSlugs, deleteEndedShareLinks],
    [deleteEndedSsoSessions, deleteInactiveInstalls, rotateFederationKeys],
  ),
  exportsSweep,
  deletionSweep,
  expirySweep,
  deliverySweep,
  certificateSweep,
  reservationsSweep,
  billingSweep,
  previewSweep,
];

/** Returns the cleanup jobs that a server with this configuration runs. */
export function listSweeps(config: Config): Sweep[] {
  return sweeps.filter((sweep) => sweep.isUnused?.(config) !== true);
}
