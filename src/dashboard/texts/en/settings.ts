// Texts about the settings of an organization.

export const settings = {
  title: 'Settings',
  tabs: { general: 'General', security: 'Security', sso: 'Single sign-on' },
  adminsOnlyTitle: 'Only admins can manage settings',
  adminsOnlyText: 'Ask an admin:',
  icon: 'Icon',
  general: 'General',
  name: 'Name',
  identifier: 'Organization ID',
  plan: 'Plan',
  plans: { team: 'Team', business: 'Business' },
  role: 'Your role',
  created: 'Created',
  leave: {
    title: 'Transfer and leave',
    hint: 'All admins own the organization together. Make your successor an admin, then leave or lower your own role.',
    members: 'Go to members',
    onlyAdmin: "You're the only admin: make someone else an admin before you leave.",
    onlyMember: "You're the only member. Invite a successor, or delete the organization.",
    action: 'Leave organization',
    confirmTitle: (name: string) => `Leave ${name}?`,
    confirm: (name: string) =>
      `You lose access to ${name} and its projects immediately, and your tokens stop working there. To come back, you need a new invitation.`,
  },
  deletion: {
    title: 'Delete',
    hint: 'You can delete an organization when it has no projects.',
    projects: (count: number) =>
      count === 1 ? 'It still has 1 project. Delete it first:' : `It still has ${count} projects. Delete them first:`,
    action: 'Delete organization',
    confirmTitle: (name: string) => `Delete ${name}?`,
    confirm: (members: number) =>
      `${members === 1 ? 'You lose' : `All ${members} members lose`} access immediately. This also deletes testers, groups, devices, webhooks, tokens and the connection to an identity provider. Accounts stay. This can't be undone.`,
  },
  security: {
    admins: 'Admins',
    adminsHint: 'Admins manage members, roles, sign-in and all settings.',
    oneAdmin: 'There is only one admin. Add a second one in case they lose access to their account.',
    signIn: 'Member sign-in',
    ssoAbsent: 'Password or passkey. No identity provider is connected.',
    ssoDisabled: 'Password or passkey. An identity provider is connected, and single sign-on is off.',
    ssoEnabled: 'Identity provider, password or passkey.',
    ssoRequired: 'Identity provider only for members in a verified domain; password or passkey for everyone else.',
    toSso: 'Single sign-on',
    trail: 'The audit trail shows sign-ins, failed sign-ins and changes.',
    toTrail: 'Go to audit trail',
    commandLine: 'From the command line only',
    commandLineHint:
      "TAXIWAY_TOKEN is an admin's token: a personal access token with all scopes, unless noted otherwise.",
    mfa: 'Require two-factor authentication from all members. The grace period is in days. To stop requiring it, set required to false.',
    tokens: 'List all personal access tokens in the organization. Requires an access token from sign-in.',
    revoke: "Revoke a member's personal access token. Requires an access token from sign-in.",
  },
};

export const sso = {
  hint: "Members sign in through your organization's SAML 2.0 identity provider.",
  states: { absent: 'Not set up', disabled: 'Off', enabled: 'On', required: 'Required' },
  planRefusal: (plan: string) =>
    `The ${plan} plan doesn't include single sign-on. Ask the server's operator to change the plan. An existing connection keeps working; you can turn it off or remove it.`,
  serviceProvider: {
    title: '1. Add Taxiway to the identity provider',
    hint: 'Import our metadata, or enter these values. The identity provider must send a persistent NameID and the email address, and sign with RSA and SHA-256 or better.',
    download: 'Download metadata',
    entityId: 'Entity ID',
    acsUrl: 'Assertion consumer service (HTTP-POST)',
    sloUrl: 'Single logout (HTTP-Redirect)',
    certificate: 'Certificate that we sign requests with',
    certificateFormat: 'Base64, as in the metadata',
  },
  identityProvider: {
    title: '2. Add the identity provider to Taxiway',
    hint: "Paste the provider's metadata. Replacing it later doesn't change your settings or domains.",
    kind: 'Method',
    kinds: { metadata: 'Metadata', fields: 'Manual' },
    metadata: 'Metadata (XML)',
    metadataHint: 'Paste it, or choose a file.',
    file: 'Choose file',
    isLink: 'This is a link to the metadata. Open it, then paste its content or choose the saved file.',
    openLink: 'Open link',
    entityId: 'Entity ID',
    ssoUrl: 'Single sign-on URL (HTTP-Redirect)',
    sloUrl: 'Single logout URL (HTTP-Redirect)',
    certificates: 'Signing certificates',
    certificatesHint:
      'PEM or base64, one after the other. To replace a certificate without downtime, enter both the old and the new one.',
    replace: 'Replace',
    changed: 'Changed',
    certificate: 'Certificate',
    fingerprint: 'SHA-256 fingerprint',
    expires: 'expires',
    expired: 'expired',
    expiryHint:
      'Certificates that were entered manually are accepted after they expire. Ask the identity provider whether its key changes, and add the new certificate next to the old one.',
  },
  domains: {
    title: '3. Verify your domains',
    hint: "Only people with an email address in a verified domain can sign in. Subdomains aren't included.",
    domain: 'Domain',
    add: 'Add domain',
    none: 'No domains yet. Without one, nobody can sign in.',
    verified: 'Verified',
    unverified: 'Not verified',
    record: "Add this TXT record to the domain's DNS:",
    recordName: 'Name',
    recordValue: 'Value',
    check: 'Check now',
    checking: (minutes: number) => `Checking… This continues automatically for ${minutes} minutes.`,
    missing: "We couldn't find the record yet. New records can take a while.",
    unanswered: "The name servers didn't respond.",
    timedOut: (minutes: number) =>
      `We didn't find the record within ${minutes} minutes. New records can take hours: check again later.`,
    byOperator: "If the domain has no public DNS, the server's operator can verify it with this command:",
    verifiedToast: (domain: string) => `${domain} verified`,
    claimedElsewhere: 'Another organization has already claimed this domain. It must remove the domain first.',
    remove: 'Remove',
    removeOf: (domain: string) => `Remove ${domain}`,
    removeTitle: (domain: string) => `Remove ${domain}?`,
    removeEffect: (members: number) =>
      members === 0
        ? 'Nobody with an email address in this domain can sign in through the identity provider anymore.'
        : `${members === 1 ? '1 member has an email address' : `${members} members have email addresses`} in this domain and must sign in with a password or passkey. People without one can reset their password.`,
    removeUnverifiedEffect: "The domain isn't verified, so nothing changes for members.",
  },
  activation: {
    title: '4. Turn on, test and require',
    addProviderFirst: 'Add the identity provider first.',
    noDomain: 'Verify a domain first: without one, nobody can sign in.',
    enable: 'Turn on',
    enableHint: 'Members can still use their password or passkey.',
    enabled: 'Single sign-on turned on',
    disable: 'Turn off',
    disableTitle: 'Turn off single sign-on?',
    disableEffect:
      'Nobody can sign in through the identity provider anymore, and single sign-on is no longer required. Members use their password or passkey; people without one can reset their password. Sessions stay active.',
    disabled: 'Single sign-on turned off',
    test: 'Test sign-in',
    testHint:
      'Open the sign-in URL in a private window. You are then signed in there as the user that the identity provider returns. The result appears here.',
    signInUrl: 'Sign-in URL',
    signInHere: 'Sign in with this browser',
    require: 'Require',
    requireHint: 'Members in a verified domain can then sign in only through the identity provider.',
    isRequired: 'Members in a verified domain can sign in only through the identity provider.',
    requireTitle: 'Require single sign-on?',
    requireNone: 'No member has an email address in a verified domain yet. This applies to future members.',
    requireMembers: (count: number, domains: string) =>
      `${count === 1 ? '1 member' : `${count} members`} with email addresses in ${domains} can then sign in only through the identity provider, not with a password or passkey:`,
    requireUnaffected: (count: number) =>
      count === 1
        ? '1 member with another email address keeps their own sign-in:'
        : `${count} members with other email addresses keep their own sign-in:`,
    andMore: (count: number) => `and ${count} more`,
    requireSessions: 'Active sessions stay until they expire, and tokens keep working.',
    untested:
      "Nobody has signed in through the identity provider in the last day. Test it first: if it fails, only the server's operator can restore access.",
    required: 'Single sign-on is now required',
    stopRequiring: 'Stop requiring',
    stopRequiringTitle: 'Stop requiring single sign-on?',
    stopRequiringEffect: 'Members can also sign in with a password or passkey. The identity provider stays connected.',
    stoppedRequiring: 'Single sign-on is no longer required',
    recoveryHint: "If the identity provider fails, the server's operator can restore access:",
  },
  attempts: {
    title: 'Sign-ins in the last day',
    hint: 'Successful and failed sign-ins through the identity provider.',
    none: 'No sign-ins yet.',
    signedIn: (name: string) => `${name} signed in`,
    failed: 'Failed',
    waiting: 'Waiting for a sign-in…',
    stoppedWaiting: 'Stopped waiting.',
    refresh: 'Refresh',
    trail: 'The audit trail lists all of them.',
    reasons: {
      unreadable: "The SAML response can't be parsed.",
      status: 'The identity provider reported an error.',
      unsigned: "The response isn't signed. Sign the assertion or the response.",
      wrapped: "The signature doesn't cover the whole response.",
      algorithm: 'The response must be signed with RSA and SHA-256 or better, and must not be encrypted.',
      signature: "The signature doesn't match any certificate. Add the current one.",
      issuer: "The issuer doesn't match the entity ID that you entered.",
      destination: 'Wrong destination. Check the assertion consumer service URL.',
      audience: 'Wrong audience. Check our entity ID at the identity provider.',
      recipient: 'Wrong recipient. Check the assertion consumer service URL.',
      expired: 'The response expired. Compare the clocks.',
      not_yet_valid: "The response isn't valid yet. Compare the clocks.",
      request: 'The response matches no request of ours. Start from the sign-in URL, not from the portal.',
      browser: 'The response arrived in another browser, or cookies are blocked.',
      replayed: 'The response was already used.',
      subject: 'The NameID is missing or changes each time. Use a persistent NameID.',
      email: 'The response has no email address. Send one as "email" or "mail".',
      domain: "The email address isn't in a verified domain.",
      account_locked: 'The account is locked.',
      configuration_changed: 'The connection was changed during the sign-in.',
    } as Record<string, string>,
  },
  remove: {
    title: 'Remove connection',
    hint: 'To switch identity providers, replace the metadata above instead. Your domains stay either way.',
    action: 'Remove',
    confirmTitle: (entity: string) => `Remove ${entity}?`,
    confirm:
      'Nobody can sign in through it anymore, and its links to accounts are deleted. Members use their password or passkey; people without one can reset their password. Accounts and domains stay.',
    removed: 'Connection removed',
  },
};

export const expiring = {
  title: 'Expiring',
  hint: {
    mailed:
      'Provisioning profiles and certificates of live builds, soonest first. Maintainers get an email 60, 30, 15, 7 and 1 days before expiry.',
    unmailed:
      "Provisioning profiles and certificates of live builds, soonest first. This server doesn't send email, so nobody is reminded.",
  },
  within: 'Expires within',
  days: (days: number) => (days === 366 ? '1 year' : `${days} days`),
  type: 'Type',
  expires: 'Expires',
  channel: 'Channel',
  build: 'Build',
  lastEmail: 'Last email',
  kinds: { profile: 'Provisioning profile', certificate: 'Certificate' },
  expired: 'Expired',
  daysLeft: (days: number) => (days === 0 ? 'Today' : days === 1 ? '1 day left' : `${days} days left`),
  nextStep:
    'Sign a new build with a renewed profile or certificate and release it. On iOS, installed builds stop opening when theirs expires.',
  noneTitle: 'Nothing expires soon',
  none: (days: number) =>
    `No live build has a profile or certificate that expires within ${days === 366 ? 'a year' : `${days} days`}.`,
  notice: {
    title: (ended: number, soon: number) => {
      const expire = `${soon} ${soon === 1 ? 'signature expires' : 'signatures expire'} within 30 days`;
      if (ended === 0) return expire;
      const expired = `${ended} ${ended === 1 ? 'signature has' : 'signatures have'} expired`;
      return soon === 0 ? expired : `${expired}, ${expire}`;
    },
    first: (what: string, project: string, channel: string, hasEnded: boolean) =>
      `${what} of the live build on ${channel} of ${project} ${hasEnded ? 'expired' : 'expires'}`,
    show: 'Show expiring signatures',
  },
};
