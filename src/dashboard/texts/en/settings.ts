// Words about the settings of an organization.

export const settings = {
  title: 'Settings',
  tabs: { general: 'General', security: 'Security', sso: 'Single sign-on' },
  refusedTitle: 'Administrators look after the settings',
  refusedText: 'Ask one of them:',
  icon: 'Icon',
  iconHint: 'PNG, JPEG or WebP of up to 1 MB.',
  general: 'General',
  name: 'Name',
  identifier: 'Organization id',
  plan: 'Plan',
  plans: { team: 'Team', business: 'Business' },
  role: 'Your role',
  created: 'Made',
  leave: {
    title: 'Hand over and leave',
    hint: 'Administrators own the organization together. Make whoever takes over an administrator, then leave or lower your own role.',
    members: 'To the members',
    last: 'You are its only administrator: make somebody else one before you leave.',
    alone: 'You are alone in it. Invite somebody who takes over, or delete it.',
    action: 'Leave the organization',
    confirmTitle: (name: string) => `Leave ${name}?`,
    confirm: (name: string) =>
      `You lose access to ${name} and its projects at once, and tokens of yours stop working there. Somebody has to invite you again to come back.`,
  },
  deletion: {
    title: 'Delete',
    hint: 'An organization can be deleted once it has no projects.',
    projects: (count: number) =>
      count === 1 ? 'It still has 1 project. Delete it first:' : `It still has ${count} projects. Delete them first:`,
    action: 'Delete the organization',
    confirmTitle: (name: string) => `Delete ${name}?`,
    confirm: (members: number) =>
      `${members === 1 ? 'You lose' : `All ${members} members lose`} it at once. Testers, groups, devices, webhooks, tokens and the connection to an identity provider go with it; accounts stay. This cannot be undone.`,
  },
  security: {
    admins: 'Administrators',
    adminsHint: 'They decide about members, roles, sign-in and everything else here.',
    oneAdmin: 'There is only one administrator. Make a second one, so that a lost account locks nobody out.',
    signIn: 'How members sign in',
    ssoAbsent: 'With their own password or passkey. No identity provider is connected.',
    ssoDisabled: 'With their own password or passkey. An identity provider is connected and switched off.',
    ssoEnabled: 'Through the identity provider, or with their own password or passkey.',
    ssoRequired: 'Members in a verified domain through the identity provider only; everybody else with their own.',
    toSso: 'Single sign-on',
    trail: 'Who signed in, failed to, and changed what is in the audit trail.',
    toTrail: 'To the audit trail',
    terminal: 'From a terminal only',
    terminalHint:
      'These have no screen on purpose. TAXIWAY_TOKEN is the token of an administrator: a personal one with every scope will do where nothing else is said.',
    mfa: 'Ask a second factor of every member. The grace period is in days; required false takes it back.',
    tokens: 'Every personal access token in the organization; needs the access token of a sign-in.',
    revoke: 'Revoke one of them, whoever it belongs to; needs the access token of a sign-in.',
  },
};

export const sso = {
  hint: 'Members sign in through the SAML 2.0 identity provider of your organization.',
  states: { absent: 'Not set up', disabled: 'Switched off', enabled: 'Switched on', required: 'Required' },
  planRefusal: (plan: string) =>
    `Single sign-on is not part of the plan ${plan}. Whoever runs this server decides what a plan holds. What is set up already keeps working, and can be switched off and removed.`,
  ours: {
    title: '1. Tell the identity provider about Taxiway',
    hint: 'Load our metadata into it, or type these in. It must send a lasting NameID and the e-mail address, and sign with RSA and SHA-256 or better.',
    download: 'Download our metadata',
    entityId: 'Entity id',
    acsUrl: 'Assertion consumer service (HTTP-POST)',
    sloUrl: 'Single logout (HTTP-Redirect)',
    certificate: 'Certificate that our requests are signed with',
    copyable: 'Base64, as metadata carries it',
  },
  theirs: {
    title: '2. Tell Taxiway about the identity provider',
    hint: 'Its metadata says everything. Replacing it changes neither the switches nor the domains.',
    kind: 'How',
    kinds: { metadata: 'Metadata', fields: 'Field by field' },
    metadata: 'Metadata (XML)',
    metadataHint: 'Paste it, or choose the file.',
    file: 'Choose a file',
    isAddress: 'This is where the metadata lies. Open it, then paste what it shows, or save it and choose the file.',
    openAddress: 'Open the address',
    entityId: 'Entity id',
    ssoUrl: 'Single sign-on address (HTTP-Redirect)',
    sloUrl: 'Single logout address (HTTP-Redirect)',
    certificates: 'Signing certificates',
    certificatesHint:
      'PEM or base64, one below the other. Enter the old and the new one together to change without a gap.',
    replace: 'Replace',
    changed: 'Changed',
    certificate: 'Certificate',
    fingerprint: 'SHA-256 fingerprint',
    ends: 'ends',
    ended: 'ended',
    endingHint:
      'Answers keep being taken after a certificate ended, because it was entered by hand. Ask the identity provider whether it changes its key then, and enter the new one beside the old.',
  },
  domains: {
    title: '3. Show which domains are yours',
    hint: 'Only addresses in a verified domain come in. A domain does not cover names below it.',
    domain: 'Domain',
    claim: 'Add',
    none: 'None yet. Without one nobody can come in.',
    taken: 'This domain is in the list already',
    verified: 'Verified',
    waiting: 'Not verified',
    record: 'Set this TXT record where the domain is administered:',
    recordName: 'Name',
    recordValue: 'Value',
    check: 'Check now',
    checking: 'Checking … it goes on by itself for ten minutes.',
    missing: 'The record is not there yet. A new one may take a while to be seen.',
    unanswered: 'The name servers did not answer.',
    over: 'Not seen within ten minutes. New records sometimes take hours: check again later, nothing is lost.',
    byOperator: 'Without such a DNS, whoever runs the server confirms the domain there:',
    verifiedNow: (domain: string) => `${domain} is verified`,
    heldElsewhere: 'Another organization holds this domain. It has to give it up first.',
    remove: 'Give up',
    removeOf: (domain: string) => `Give up ${domain}`,
    removeTitle: (domain: string) => `Give up ${domain}?`,
    removeEffect: (members: number) =>
      members === 0
        ? 'Nobody with an address in it can come in through the identity provider any more.'
        : `${members === 1 ? '1 member has an address' : `${members} members have addresses`} in it: they sign in with their own password or passkey again. Who has none asks for a new password by mail.`,
    removeWaiting: 'It was not verified, so nothing changes for anybody.',
  },
  use: {
    title: '4. Switch it on, try it, require it',
    first: 'Enter the identity provider first.',
    noDomain: 'Verify a domain first: without one nobody can come in.',
    enable: 'Switch on',
    enableHint: 'It is a further way to sign in. Nobody loses theirs.',
    enabled: 'Single sign-on is switched on',
    disable: 'Switch off',
    disableTitle: 'Switch single sign-on off?',
    disableEffect:
      'Nobody can sign in through the identity provider any more, and it is no longer required. Members use their own password or passkey; who has none asks for a new password by mail. Sessions stay open.',
    disabled: 'Single sign-on is switched off',
    try: 'Try it',
    tryHint:
      'Open the sign-in in a private window: it signs that window in as whoever the identity provider names. What comes of it appears here.',
    login: 'Sign-in address',
    open: 'Sign in with this browser',
    require: 'Require it',
    requireHint: 'Members in a verified domain then sign in through the identity provider only.',
    isRequired: 'Members in a verified domain sign in through the identity provider only.',
    requireTitle: 'Require single sign-on?',
    requireNobody: 'No member has an address in a verified domain yet. It counts for those who come.',
    requireMembers: (count: number, domains: string) =>
      `${count === 1 ? '1 member' : `${count} members`} with addresses in ${domains} can then sign in through the identity provider only; password and passkey are refused:`,
    requireGuests: (count: number) =>
      count === 1
        ? '1 member with another address keeps their own sign-in:'
        : `${count} members with other addresses keep their own sign-in:`,
    andMore: (count: number) => `and ${count} more`,
    requireRest: 'Open sessions stay until they end, and tokens keep working.',
    untried:
      'Nobody has come in through it since yesterday. Try it first: when it does not work, only whoever runs the server can open the door again.',
    required: 'Single sign-on is required',
    release: 'No longer require it',
    releaseTitle: 'No longer require single sign-on?',
    releaseEffect: 'Members can sign in with their own password or passkey as well. The identity provider stays.',
    released: 'Single sign-on is no longer required',
    lockedOut: 'When the identity provider is broken, whoever runs the server opens the door:',
  },
  attempts: {
    title: 'Sign-ins since yesterday',
    hint: 'Who came in through the identity provider, and why somebody did not.',
    none: 'None yet.',
    cameIn: (name: string) => `${name} came in`,
    refused: 'Refused',
    waiting: 'Looking out for a sign-in …',
    over: 'Not looking any more.',
    again: 'Look again',
    trail: 'All of them are in the audit trail.',
    reasons: {
      unreadable: 'What came is no SAML answer that can be read.',
      status: 'The identity provider says that it did not work.',
      unsigned: 'Nothing is signed. Let it sign the assertion or the answer.',
      wrapped: 'Something is there that the signature does not cover.',
      algorithm: 'It is not signed with RSA and SHA-256 or better, or it is encrypted.',
      signature: 'The signature fits none of the certificates. Enter the current one.',
      issuer: 'It comes from another entity id than the one entered.',
      destination: 'It was meant for another address. Compare the assertion consumer service.',
      audience: 'It was meant for another entity id. Compare ours at the identity provider.',
      recipient: 'It was meant for another address. Compare the assertion consumer service.',
      expired: 'It came too late. Compare the clocks.',
      not_yet_valid: 'It is valid later only. Compare the clocks.',
      request: 'It answers no request of ours. Begin at the sign-in address, not at the portal.',
      browser: 'It came in another browser than the one that asked, or without cookies.',
      replayed: 'It was used before.',
      subject: 'The NameID is missing or changes each time. Let it be persistent.',
      email: 'There is no e-mail address in it. Send one as "email" or "mail".',
      domain: 'The address lies in no verified domain.',
      account_locked: 'The account is locked.',
      configuration_changed: 'The connection was changed in the meantime.',
    } as Record<string, string>,
  },
  remove: {
    title: 'Remove the connection',
    hint: 'To switch identity providers, replace it above instead: the domains stay either way.',
    action: 'Remove',
    confirmTitle: (entity: string) => `Remove ${entity}?`,
    confirm:
      'Nobody can sign in through it any more, and who came in through it is no longer known by it. Members use their own password or passkey; who has none asks for a new password by mail. Accounts and domains stay.',
    removed: 'The connection is removed',
  },
};

export const expiring = {
  title: 'Expiring',
  hint: {
    mailed:
      'Provisioning profiles and certificates of live builds, soonest first. Maintainers get an email 60, 30, 15, 7 and 1 days before.',
    unmailed:
      "Provisioning profiles and certificates of live builds, soonest first. This server doesn't send email, so nobody is reminded.",
  },
  within: 'Ending within',
  days: (days: number) => (days === 366 ? '1 year' : `${days} days`),
  what: 'What',
  ends: 'Ends',
  where: 'Channel',
  build: 'Build',
  warned: 'Last mail',
  kinds: { profile: 'Provisioning profile', certificate: 'Certificate' },
  expired: 'Ended',
  daysLeft: (days: number) => (days === 0 ? 'Today' : days === 1 ? '1 day left' : `${days} days left`),
  next: 'Sign a new build with a renewed profile or certificate, and release it. Builds that were installed stop opening on iOS when theirs ends.',
  noneTitle: 'Nothing ends that soon',
  none: (days: number) =>
    `No channel serves a build whose profile or certificate ends within ${days === 366 ? 'a year' : `${days} days`}.`,
  notice: {
    title: (ended: number, soon: number) => {
      const ends = `${soon} ${soon === 1 ? 'signature ends' : 'signatures end'} within 30 days`;
      if (ended === 0) return ends;
      const gone = `${ended} ${ended === 1 ? 'signature has' : 'signatures have'} ended`;
      return soon === 0 ? gone : `${gone}, ${ends}`;
    },
    first: (what: string, project: string, channel: string, hasEnded: boolean) =>
      `${what} signs what ${channel} of ${project} serves, and ${hasEnded ? 'ended' : 'ends'}`,
    show: 'Show what ends',
  },
};
