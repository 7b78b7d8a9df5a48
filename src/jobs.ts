// All kinds of jobs, with their handlers and lanes. The jobs of a lane run one at a time.
import { EXPORT_JOB, EXPORT_LANE, prepareExport } from './accounts/exports/service.ts';
import { LINK_MAIL_JOB, LINK_MAIL_LANE, runLinkMailJob } from './accounts/link-mails.ts';
import { BILLING_LANE, CANCEL_SUBSCRIPTION_JOB, runCancelSubscriptionJob } from './billing/cancellation.ts';
import { CONFIRM_PLAN_JOB, runConfirmPlanJob } from './billing/plan-confirmation.ts';
import { CONFIRM_REFUND_JOB, runConfirmRefundJob } from './billing/refund-requests.ts';
import { runVerifyPackageJob, VERIFY_PACKAGE_JOB } from './builds/integrity.ts';
import { runWithdrawalJob, WITHDRAWAL_JOB } from './builds/withdrawal.ts';
import { CHECK_CONTAINER_JOB, CHECK_CONTAINER_LANE, runCheckContainerJob } from './byosa/outages.ts';
import { runValidateJob, VALIDATE_JOB, VALIDATE_LANE } from './byosa/requests.ts';
import { ACCESS_REQUEST_JOB } from './channels/access-requests.ts';
import type { JobHandler } from './core/context.ts';
import { ERASE_LOG_JOB, runEraseLogJob } from './core/log-erasure.ts';
import { SEND_BULK_MAIL_JOB, SEND_MAIL_JOB } from './core/mail-outbox.ts';
import {
  REMOVE_OBJECTS_JOB,
  REMOVE_REAPPEARED_JOB,
  runRemoveObjectsJob,
  runRemoveReappearedJob,
} from './core/object-deletion.ts';
import { FAN_OUT_JOB } from './core/record.ts';
import { REMOVAL_JOB, REMOVAL_LANE, runRemovalJob } from './core/removal.ts';
import { REVOKE_INVITATIONS_JOB, runRevokeInvitationsJob } from './invitations/sender-role.ts';
import { MAIL_BATCH_JOB, runMailBatchJob } from './mail/batches.ts';
import { BULK_MAIL_LANE, MAIL_LANE, runSendMailJob } from './mail/outbox.ts';
import { EMAIL_CODE_JOB, runEmailCodeJob } from './sign-in/email.ts';
import { runSsoLeftoversJob, SSO_LEFTOVERS_JOB } from './sso/leftovers.ts';
import { REMOVE_LEFT_JOB, runRemoveLeftJob } from './storage/left-copies.ts';
import { PUBLISH_JOB, runPublishJob } from './stores/publish.ts';
import { REGISTER_QUEUED_JOB, runRegisterQueuedJob } from './stores/queue.ts';
import { CHECK_REGISTRATION_JOB } from './stores/registration-states.ts';
import { runCheckRegistrationJob, STORES_LANE } from './stores/registrations.ts';
import { ANNOUNCE_JOB, ANNOUNCE_LANE, runAnnounceJob } from './testers/announcements/service.ts';
import { runAccessRequestJob } from './testers/requests/service.ts';
import {
  RESUME_WAITS_JOB,
  runResumeWaitsJob,
  runWaitingDevicesJob,
  WAITING_DEVICES_JOB,
} from './testers/waiting-devices/service.ts';
import { runTokenOwnerJob, TOKEN_OWNER_JOB } from './tokens/owners.ts';
import { fanOutEvents } from './webhooks/deliveries.ts';

interface JobKind {
  kind: string;
  run: JobHandler;
  /** The main lane if it is undefined. */
  lane?: string;
}

export const jobs: readonly JobKind[] = [
  // A separate lane, so that slow jobs don't delay the fan-out of events.
  { kind: FAN_OUT_JOB, run: fanOutEvents, lane: 'webhooks' },
  { kind: EXPORT_JOB, run: prepareExport, lane: EXPORT_LANE },
  { kind: REMOVE_OBJECTS_JOB, run: runRemoveObjectsJob },
  { kind: REMOVE_REAPPEARED_JOB, run: runRemoveReappearedJob },
  { kind: ERASE_LOG_JOB, run: runEraseLogJob },
  { kind: REMOVE_LEFT_JOB, run: runRemoveLeftJob },
  { kind: CHECK_CONTAINER_JOB, run: runCheckContainerJob, lane: CHECK_CONTAINER_LANE },
  // Reading a large package takes seconds.
  { kind: VERIFY_PACKAGE_JOB, run: runVerifyPackageJob, lane: 'packages' },
  { kind: VALIDATE_JOB, run: runValidateJob, lane: VALIDATE_LANE },
  { kind: SEND_MAIL_JOB, run: runSendMailJob, lane: MAIL_LANE },
  { kind: SEND_BULK_MAIL_JOB, run: runSendMailJob, lane: BULK_MAIL_LANE },
  { kind: MAIL_BATCH_JOB, run: runMailBatchJob },
  { kind: LINK_MAIL_JOB, run: runLinkMailJob, lane: LINK_MAIL_LANE },
  { kind: EMAIL_CODE_JOB, run: runEmailCodeJob, lane: LINK_MAIL_LANE },
  { kind: REVOKE_INVITATIONS_JOB, run: runRevokeInvitationsJob },
  { kind: SSO_LEFTOVERS_JOB, run: runSsoLeftoversJob },
  { kind: TOKEN_OWNER_JOB, run: runTokenOwnerJob },
  { kind: ACCESS_REQUEST_JOB, run: runAccessRequestJob },
  { kind: WITHDRAWAL_JOB, run: runWithdrawalJob },
  // Before the emails about the release, so that the owner of a waiting phone gets only the one about the phone.
  { kind: WAITING_DEVICES_JOB, run: runWaitingDevicesJob, lane: ANNOUNCE_LANE },
  { kind: RESUME_WAITS_JOB, run: runResumeWaitsJob, lane: ANNOUNCE_LANE },
  { kind: ANNOUNCE_JOB, run: runAnnounceJob, lane: ANNOUNCE_LANE },
  // It ends within seconds, which jobs of the main lane may not.
  { kind: PUBLISH_JOB, run: runPublishJob, lane: 'publish' },
  // Asks Apple.
  { kind: CHECK_REGISTRATION_JOB, run: runCheckRegistrationJob, lane: STORES_LANE },
  { kind: REGISTER_QUEUED_JOB, run: runRegisterQueuedJob, lane: STORES_LANE },
  { kind: CANCEL_SUBSCRIPTION_JOB, run: runCancelSubscriptionJob, lane: BILLING_LANE },
  { kind: CONFIRM_PLAN_JOB, run: runConfirmPlanJob, lane: BILLING_LANE },
  { kind: CONFIRM_REFUND_JOB, run: runConfirmRefundJob, lane: BILLING_LANE },
  { kind: REMOVAL_JOB, run: runRemovalJob, lane: REMOVAL_LANE },
];
