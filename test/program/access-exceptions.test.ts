// The exceptions of the access matrix, with the reason for each, so that an operation can't allow more callers than its
// permission by accident.
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/operations.ts';

/** Why each operation is open to callers without any credential (docs/specification/conventions.md#addresses). */
const anonymous: Record<string, string[]> = {
  'what the service is and how it is described': [
    'showHome',
    'getLiveness',
    'getReadiness',
    'getService',
    'getVersion',
    'listPlatforms',
    'getOpenApi',
    'getReference',
    'showCaptcha',
    'getCaptchaAsset',
    'getCheckoutAsset',
  ],
  'the identity of this server for other clouds, which is public': ['getFederationConfiguration', 'getFederationKeys'],
  'metrics, which check their token or the address themselves': ['getMetrics'],
  'the setup of a new server: its link is the proof': ['showSetup', 'completeSetup', 'getSetupAsset'],
  'signing up and signing in': [
    'signUp',
    'showEmailVerification',
    'verifyEmail',
    'resendVerification',
    'signIn',
    'requestEmailSignIn',
    'confirmEmailSignIn',
    'signInBySecondFactor',
    'beginSecondFactorByPasskey',
    'finishSecondFactorByPasskey',
    'beginPasskeyLogin',
    'finishPasskeyLogin',
    'refreshTokens',
    'registerDeviceAtChannel',
    'registerDeviceAtShortAddress',
    'requestPasswordReset',
    'showPasswordReset',
    'confirmPasswordReset',
    'discoverSso',
  ],
  'the review after a password reset: the token of its answer is the proof': ['reviewAdditions'],
  'single sign-on: the message of the identity provider is the proof': [
    'beginSsoLogin',
    'completeSsoLogin',
    'completeOidcLogin',
    'handleOidcLogout',
    'handleSsoLogout',
  ],
  'links in mails to the owner of an account': [
    'showEmailChange',
    'confirmEmailChange',
    'showDeletionCancellation',
    'cancelDeletion',
  ],
  'what an invitation leads to': [
    'previewInvite',
    'receivePaddleEvent',
    'showInvite',
    'signUpInvited',
    'beginPasskeySignUp',
    'finishPasskeySignUp',
  ],
  'what a channel invitation leads to': ['previewChannelInvite', 'showChannelInvite'],
  'joining by link: the token of the link and the session of the browser are the proof': [
    'showJoinPage',
    'joinChannel',
  ],
  'links in mails about releases': ['openAnnouncedRelease', 'showMute', 'muteByLink'],
  'in-app updates, which check app key, secret, update token and capability themselves': [
    'enrollInstall',
    'rotateUpdateToken',
    'getUpdatedApp',
    'getLatestRelease',
    'downloadUpdate',
    'getUpdateManifest',
    'reportInstall',
    'sendFeedbackFromApp',
  ],
  'the clients of the server, which contain no data': [
    'showCliPage',
    'getShellUploader',
    'getScriptClient',
    'getClientChecksums',
  ],
  'installing from a public channel or by a capability, enrolling a device, trusting the server': [
    'getPublicChannel',
    'downloadPublicRelease',
    'getPublicManifest',
    'createPublicInstallLink',
    'getCapabilityInstall',
    'downloadByCapability',
    'getCapabilityManifest',
    'getChannelQrCode',
    'getBuildQrCode',
    'getPublicIcon',
    'getPublicOrganizationIcon',
    'getPublicScreenshot',
    'getMessageIcon',
    'showFeedbackPage',
    'sendFeedbackFromPage',
    'showChannelPage',
    'showCheckout',
    'askForChannelAccess',
    'showShortPage',
    'askForChannelAccessAtShortAddress',
    'showReleasePage',
    'showBuildPage',
    'showSharePage',
    'enterSharePassword',
    'showCapabilityPage',
    'getInstallAsset',
    'showTrustPage',
    'getTrustProfile',
    'getTrustCertificate',
    'getTrustCertificatePem',
    'showEnrollPage',
    'getEnrollProfile',
    'completeEnrollment',
    'showEnrollResult',
  ],
  'feeds: the id of a public channel or a token in the address is the proof': [
    'getAtomFeed',
    'getAltStoreSource',
    'downloadLatestApk',
    'getLatestPackage',
    'showObtainiumPage',
    'downloadFeedPackage',
    'getFeedIcon',
    'getRepositoryFile',
    'getRepositoryIcon',
  ],
};

/** What an account may do although its address is not verified and the method says that it writes. */
const unverified: Record<string, string[]> = {
  'signing out': ['signOut'],
  'ending sessions: who can sign in can end what was signed in': ['revokeSession', 'revokeAllSessions'],
  'rendering a text, which changes nothing': ['renderReleaseNotes'],
};

const all = (reasons: Record<string, string[]>) => Object.values(reasons).flat().sort();
const idsOf = (rows: typeof operations) => rows.map((row) => row.id).sort();

describe('the exceptions of the access matrix', () => {
  it('without a credential are these', () => {
    expect(idsOf(operations.filter((row) => row.access.kind === 'anonymous'))).toEqual(all(anonymous));
  });
  it('without a verified address are these', () => {
    const rows = operations.filter((row) => row.access.kind === 'developer' && row.access.allowsUnverified === true);
    expect(idsOf(rows)).toEqual(all(unverified));
  });
  it('for project access tokens outside their project is this: finding their own organization', () => {
    const rows = operations.filter((row) => row.access.kind === 'developer' && row.access.admitsProjectToken === true);
    expect(idsOf(rows)).toEqual(['listOrganizations']);
  });
});
