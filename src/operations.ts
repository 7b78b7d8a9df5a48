// Every operation of the program, in the order of the documentation.

import { avatarRoutes } from './accounts/avatar-routes.ts';
import { deletionRoutes } from './accounts/deletion-routes.ts';
import { exportRoutes } from './accounts/exports/routes.ts';
import { developerRoutes, sessionRoutes, setupRoutes } from './accounts/routes.ts';
import { signUpRoutes } from './accounts/sign-up-routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { backupRoutes } from './backup/routes.ts';
import { providerRoutes } from './billing/provider-routes.ts';
import { billingRoutes } from './billing/routes.ts';
import { buildDeviceRoutes } from './builds/device-routes.ts';
import { buildRoutes } from './builds/routes.ts';
import { byosaRoutes } from './byosa/routes.ts';
import { captchaRoutes } from './captcha/routes.ts';
import { previewRoutes } from './channels/preview-routes.ts';
import { channelRoutes } from './channels/routes.ts';
import { checkoutRoutes } from './checkout/routes.ts';
import { cliRoutes } from './cli/routes.ts';
import { deviceRoutes } from './devices/routes.ts';
import { enrollmentRoutes } from './enrollment/public-routes.ts';
import { enrollmentLinkRoutes } from './enrollment/routes.ts';
import { expiryRoutes } from './expiry/routes.ts';
import { feedbackPageRoutes, feedbackRoutes, sdkFeedbackRoutes } from './feedback/routes.ts';
import { feedRoutes } from './feeds/routes.ts';
import { flagRoutes } from './flags/routes.ts';
import type { Operation } from './http/operation.ts';
import { installRoutes } from './install/routes.ts';
import { invitationRoutes } from './invitations/routes.ts';
import { organizationMemberRoutes } from './organizations/members/routes.ts';
import { organizationRoutes } from './organizations/routes.ts';
import { activityRoutes } from './overviews/activity-routes.ts';
import { attentionRoutes } from './overviews/attention-routes.ts';
import { channelDayRoutes } from './overviews/channel-day-routes.ts';
import { channelOverviewRoutes } from './overviews/channel-routes.ts';
import { projectOverviewRoutes } from './overviews/project-routes.ts';
import { recentReleaseRoutes } from './overviews/recent-release-routes.ts';
import { setupStateRoutes } from './overviews/setup-routes.ts';
import { projectMemberRoutes } from './projects/members/routes.ts';
import { projectRoutes } from './projects/routes.ts';
import { screenshotRoutes } from './projects/screenshot-routes.ts';
import { notesRoutes } from './releases/notes-routes.ts';
import { releaseRoutes } from './releases/routes.ts';
import { sdkAppRoutes } from './sdk/app-routes.ts';
import { sdkRoutes } from './sdk/routes.ts';
import { searchRoutes } from './search/routes.ts';
import { mfaPolicyRoutes } from './second-factors/policy-routes.ts';
import { mfaRoutes, passkeyRoutes } from './second-factors/routes.ts';
import { documentationRoutes } from './service/documentation.ts';
import { serviceRoutes } from './service/routes.ts';
import { shareLinkRoutes } from './share-links/routes.ts';
import { emailSignInRoutes } from './sign-in/email-routes.ts';
import { signInRoutes } from './sign-in/routes.ts';
import { secondFactorSignInRoutes } from './sign-in/second-factor-routes.ts';
import { ssoSignInRoutes } from './sign-in/sso/routes.ts';
import { ssoRoutes } from './sso/routes.ts';
import { publishRoutes } from './stores/publish-routes.ts';
import { storeRoutes } from './stores/routes.ts';
import { systemRoutes } from './system/routes.ts';
import { announcementRoutes } from './testers/announcements/routes.ts';
import { testerGrantRoutes } from './testers/grants/routes.ts';
import { testerGroupRoutes } from './testers/groups/routes.ts';
import { channelInvitationRoutes } from './testers/invitations/routes.ts';
import { joinLinkRoutes } from './testers/join-links/routes.ts';
import { accessRequestRoutes } from './testers/requests/routes.ts';
import { channelTesterRoutes } from './testers/roster/routes.ts';
import { testerViewRoutes } from './testers/view/routes.ts';
import { waitingDeviceRoutes } from './testers/waiting-devices/routes.ts';
import { personalTokenRoutes } from './tokens/personal/routes.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { trustRoutes } from './trust/routes.ts';
import { uploadRoutes } from './uploads/routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';

export const operations: readonly Operation[] = [
  ...serviceRoutes,
  ...documentationRoutes(() => operations),
  ...setupRoutes,
  ...signUpRoutes,
  ...captchaRoutes,
  ...signInRoutes,
  ...emailSignInRoutes,
  ...secondFactorSignInRoutes,
  ...sessionRoutes,
  ...mfaRoutes,
  ...passkeyRoutes,
  ...developerRoutes,
  ...avatarRoutes,
  ...deletionRoutes,
  ...exportRoutes,
  ...organizationRoutes,
  ...billingRoutes,
  ...providerRoutes,
  ...flagRoutes,
  ...organizationMemberRoutes,
  ...ssoRoutes,
  ...ssoSignInRoutes,
  ...byosaRoutes,
  ...mfaPolicyRoutes,
  ...auditRoutes,
  ...expiryRoutes,
  ...searchRoutes,
  ...projectOverviewRoutes,
  ...activityRoutes,
  ...recentReleaseRoutes,
  ...attentionRoutes,
  ...setupStateRoutes,
  ...projectRoutes,
  ...screenshotRoutes,
  ...feedbackRoutes,
  ...projectMemberRoutes,
  ...invitationRoutes,
  ...personalTokenRoutes,
  ...tokenRoutes,
  ...uploadRoutes,
  ...buildRoutes,
  ...buildDeviceRoutes,
  ...channelOverviewRoutes,
  ...channelRoutes,
  ...channelDayRoutes,
  ...previewRoutes,
  ...releaseRoutes,
  ...notesRoutes,
  ...testerGrantRoutes,
  ...testerGroupRoutes,
  ...channelInvitationRoutes,
  ...joinLinkRoutes,
  ...accessRequestRoutes,
  ...channelTesterRoutes,
  ...testerViewRoutes,
  ...announcementRoutes,
  ...webhookRoutes,
  ...enrollmentLinkRoutes,
  ...deviceRoutes,
  ...waitingDeviceRoutes,
  ...storeRoutes,
  ...publishRoutes,
  ...sdkAppRoutes,
  ...shareLinkRoutes,
  ...feedRoutes,
  ...installRoutes,
  ...feedbackPageRoutes,
  ...trustRoutes,
  ...cliRoutes,
  ...systemRoutes,
  ...backupRoutes,
  ...checkoutRoutes,
  ...sdkRoutes,
  ...sdkFeedbackRoutes,
  ...enrollmentRoutes,
];
