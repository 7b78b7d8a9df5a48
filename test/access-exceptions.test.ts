// The exceptions of the access matrix, listed by hand with the sentence that makes each: an operation that is open to more
// callers than its permission says cannot come about by accident.
import { describe, expect, it } from 'vitest';
import { operations } from '../src/operations.ts';

/** Specification and completions, by the sentence that opens an operation to callers without any credential. */
const anonymous: Record<string, string[]> = {
  'Service (anon): the root, health, service, version, platforms, captcha, OpenAPI and the reference page': [
    'showHome',
    'getLiveness',
    'getReadiness',
    'getService',
    'getVersion',
    'listPlatforms',
    'getOpenApi',
    'getReference',
    'getReferenceStyle',
    'showCaptcha',
    'getCaptchaAsset',
  ],
  '/metrics without a token answers loopback only (completions 10.21)': ['getMetrics'],
  'First start with no account prints a one-time setup link (completions 8)': [
    'showSetup',
    'completeSetup',
    'getSetupAsset',
  ],
  'Sign-up, sign-in, sessions: anon (completions 2)': [
    'signUp',
    'showEmailVerification',
    'verifyEmail',
    'resendVerification',
    'signIn',
    'signInBySecondFactor',
    'beginSecondFactorByPasskey',
    'finishSecondFactorByPasskey',
    'beginPasskeyLogin',
    'finishPasskeyLogin',
    'refreshTokens',
    'requestPasswordReset',
    'showPasswordReset',
    'confirmPasswordReset',
    'discoverSso',
  ],
  'A password reset lists what was added (completions 10.34): the token in its answer is the proof': ['reviewAdditions'],
  'Three SSO endpoints carry no service credential (part 5)': ['beginSsoLogin', 'completeSsoLogin', 'handleSsoLogout'],
  'POST /developers/change_email/confirm and /developers/cancel_deletion: public, no bearer credential (part 4)': [
    'showEmailChange',
    'confirmEmailChange',
    'showDeletionCancellation',
    'cancelDeletion',
  ],
  'GET /invites/{kind}/{token}/preview: anon (completions 2), and its page': ['previewInvite', 'showInvite'],
  'GET /testers/invites/{token}/preview: no authentication (part 4), and its page': [
    'previewChannelInvite',
    'showChannelInvite',
  ],
  'Links in mails about releases: the signed link is the proof, as of a capability (part 1, Public install API)': [
    'openAnnouncedRelease',
    'showMute',
    'muteByLink',
  ],
  'SDK app secret and update token (part 5): asked for by the in-app update API itself, the manifest by its capability':
    [
      'enrollInstall',
      'rotateUpdateToken',
      'getUpdatedApp',
      'getLatestRelease',
      'downloadUpdate',
      'getUpdateManifest',
      'reportInstall',
    ],
  'Public install API: unauthenticated or capability-token install flows (part 1)': [
    'getPublicChannel',
    'downloadPublicRelease',
    'getPublicManifest',
    'createPublicInstallLink',
    'getCapabilityInstall',
    'downloadByCapability',
    'getCapabilityManifest',
    'getPublicIcon',
    'showChannelPage',
    'showReleasePage',
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
};

/** What an account may do although its address is not verified and the method says that it writes. */
const unverified: Record<string, string[]> = {
  'Ordinary sign-out ends only that session (part 5)': ['signOut'],
  'Revoke one, revoke all (part 5): whoever can sign in can end what was signed in': [
    'revokeSession',
    'revokeAllSessions',
  ],
  'Account deletion and personal data export (part 1): rights of a person, not of an address': [
    'deleteDeveloper',
    'requestDataExport',
    'listDataExports',
    'getDataExport',
    'downloadDataExport',
  ],
};

const all = (sentences: Record<string, string[]>) => Object.values(sentences).flat().sort();
const idsOf = (rows: typeof operations) => rows.map((row) => row.id).sort();

describe('exceptions of the access matrix', () => {
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
