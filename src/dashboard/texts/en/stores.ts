// Texts about store connections, devices registered with Apple, and publishing.

import type { StoreProvider } from '../../../lib/store-providers.ts';
import type { FailureCode } from '../../../stores/schema.ts';

const classes: Record<string, string> = {
  IPHONE: 'iPhones',
  IPAD: 'iPads',
  IPOD: 'iPods',
  APPLE_WATCH: 'Apple Watches',
  APPLE_TV: 'Apple TVs',
  APPLE_VISION_PRO: 'Apple Vision Pros',
  MAC: 'Macs',
};

const classOf = (name: string) => classes[name] ?? name;

const failures: Record<FailureCode, { title: string; text: string }> = {
  credentials_refused: {
    title: "The store doesn't accept the key",
    text: 'The key is unknown, revoked or belongs to another account. Create a new one and enter it here.',
  },
  permission_missing: {
    title: "The key doesn't have the required permission",
    text: 'Give it the permission in the store, or enter a key that has it.',
  },
  agreement_missing: {
    title: 'An agreement must be accepted first',
    text: "The account holder accepts it on Apple's website. Then validate again.",
  },
  api_disabled: {
    title: 'The Google Play Android Developer API is disabled',
    text: 'Enable it in the Google Cloud project of the service account. Then validate again.',
  },
  package_unknown: {
    title: 'Google Play has no app with this package name in the account',
    text: 'Correct the package name, or upload the first version of the app in the Play Console.',
  },
};

export const stores = {
  title: 'Stores',
  hint: 'Your accounts at App Store Connect and Google Play.',
  list: 'Store connections',
  add: 'Add connection',
  addTitle: 'Add a store connection',
  editTitle: (name: string) => `Edit ${name}`,
  emptyTitle: 'No store connections yet',
  emptyText: 'Connect App Store Connect to register devices with Apple, or connect Google Play.',
  guide: 'How to create a key',
  provider: 'Store',
  providers: { app_store_connect: 'App Store Connect', google_play: 'Google Play' } satisfies Record<
    StoreProvider,
    string
  >,
  statuses: { valid: 'Valid', invalid: 'Action needed' },
  keyId: 'Key ID',
  keyIdHint: '10 letters and digits, shown beside the key in App Store Connect.',
  issuerId: 'Issuer ID',
  issuerIdHint: 'Shown above the list of team keys. Leave it empty for an individual key.',
  teamKey: 'team key',
  individualKey: 'individual key',
  privateKey: 'Private key (.p8)',
  serviceAccount: 'Service account key (JSON)',
  accountField: (field: string) => `This is no key of a service account: “${field}” is missing or invalid`,
  chooseFile: 'Choose file',
  pasteHint: 'Choose the file, or paste its content. Stored encrypted and never shown again.',
  keepHint: 'Leave it empty to keep the current one.',
  tooLarge: 'This file is too large to be a key.',
  packageName: 'Package name',
  packageHint: 'Such as com.example.app. With it, the permission to release this app is checked, too.',
  connect: 'Validate and add',
  connected: (name: string) => `${name} added`,
  created: 'Added',
  createdBy: (name: string) => `by ${name}`,
  proved: {
    account: 'Access to the account validated {time}',
    package: 'Permission for the package validated {time}',
    token: 'Key validated {time}. Without a package name, permissions are not checked.',
  },
  rejected: 'Rejected {time}',
  providerCode: (code: string) => `Code: ${code}`,
  validate: 'Validate now',
  validateOf: (name: string) => `Validate now: ${name}`,
  validated: (name: string) => `${name} is valid`,
  edit: 'Edit',
  menu: (name: string) => `Actions for ${name}`,
  copyId: 'Copy ID',
  remove: 'Delete connection',
  removeTitle: (name: string) => `Delete the connection ${name}?`,
  removeEffect: {
    app_store_connect:
      'Devices stay registered with Apple, but their state is no longer shown here. Publish jobs keep the name of the connection. The key works until you revoke it in App Store Connect.',
    google_play:
      'Publish jobs keep the name of the connection. The key works until you delete it in the Google Cloud console.',
  },
  removed: (name: string) => `Connection ${name} deleted`,
  failures,
  unavailable: {
    title: "The store doesn't respond",
    text: 'Nothing was changed.',
  },
  identifierRefused: {
    title: "Apple doesn't accept the identifier of this device",
    text: 'Compare it with the identifier on the device.',
  },
  classFull: (deviceClass: string, limit: number) => ({
    title: `No place left: all ${limit} places for ${classOf(deviceClass)} are used`,
    text: 'Places become free when your membership is renewed and you remove devices.',
  }),
  quota: {
    title: 'Devices registered with Apple',
    line: (deviceClass: string, used: number, limit: number, left: number) =>
      `${used} of ${limit} ${classOf(deviceClass)}, ${left} left this membership year`,
    unused: (names: readonly string[], limit: number) =>
      `None used yet, ${limit} each: ${names.map(classOf).join(', ')}`,
    warning: (left: number) => (left === 0 ? 'No places left' : `Only ${left} left`),
    checked: 'Read from Apple {time}',
    refresh: 'Refresh',
    refreshHint: 'Apple is asked at most every 10 minutes.',
    hint: 'Disabled devices keep their place until the membership is renewed.',
  },
  devices: {
    column: 'Apple',
    connection: 'Account',
    filter: 'State with Apple',
    all: 'All states',
    states: {
      registered: 'Registered',
      processing: 'Processing',
      disabled: 'Disabled',
      refused: 'Refused',
      none: 'Not registered',
    },
    hints: {
      registered: 'Provisioning profiles can include it.',
      processing: 'Apple takes up to three days. The state is checked every hour.',
      disabled: "It takes a place and works in no profile until it's enabled on Apple's website.",
      refused: '',
      none: '',
    },
    select: (name: string) => `Select ${name}`,
    selectAll: 'Select all shown devices',
    selected: (count: number) => (count === 1 ? '1 device selected' : `${count} devices selected`),
    register: 'Register with Apple',
    registerTitle: (count: number, name: string) =>
      count === 1 ? `Register ${name} with Apple?` : `Register ${count} devices with Apple?`,
    effect: (count: number): string =>
      count === 1
        ? 'It takes a place of its class for up to a year: until your membership is renewed, even if you disable it.'
        : 'Each takes a place of its class for up to a year: until your membership is renewed, even if you disable it.',
    alreadyRegistered: (count: number) =>
      count === 1 ? '1 selected device is registered already.' : `${count} selected devices are registered already.`,
    left: (deviceClass: string, left: number, limit: number) =>
      `${left} of ${limit} places for ${classOf(deviceClass)} are left.`,
    notEnough: 'More devices are selected than places are left.',
    registered: (name: string) => `${name} registered with Apple`,
    show: 'Show details',
    /** Why a device was refused, as the server sends it. */
    refusal: (message: string): string => message,
    details: 'State with Apple',
    checked: 'Checked {time}',
    refresh: 'Read state from Apple',
    refreshed: (name: string, state: string) => `${name}: ${state}`,
    groups: {
      apple_registered: 'Registered, waiting for a build',
      apple_processing: 'Processing at Apple',
      apple_disabled: 'Disabled at Apple',
      apple_missing: 'Not registered with Apple',
    },
    steps: {
      apple_registered: (count: number): string =>
        `Add ${count === 1 ? 'this device' : `these ${count} devices`} to the profile, then build again.`,
      apple_processing: (_count: number): string => 'Apple takes up to three days. The state is checked every hour.',
      apple_disabled: (_count: number): string => "Enable them on Apple's website.",
      apple_missing: (count: number): string =>
        `Register ${count === 1 ? 'it' : 'them'} with Apple, add ${count === 1 ? 'it' : 'them'} to the profile, then build again.`,
    },
  },
  automatic: {
    title: 'Register new devices automatically',
    titleOf: (name: string) => `Register new devices automatically: ${name}`,
    hint: (reserve: number) =>
      `Devices are registered with Apple when they enroll, until only ${reserve === 1 ? '1 place' : `${reserve} places`} of their class ${reserve === 1 ? 'is' : 'are'} left.`,
    reserve: 'Places of each class to keep free',
    registerAll: 'Register all devices',
    registerAllTitle: 'Register all devices of the organization with Apple?',
    registerAllHint: 'Those of the organization that Apple does not have yet.',
    queued: (count: number): string =>
      count === 0
        ? 'All devices are registered already'
        : count === 1
          ? '1 device is being registered'
          : `${count} devices are being registered`,
    pending: (count: number): string =>
      count === 1 ? 'Registering 1 device with Apple…' : `Registering ${count} devices with Apple…`,
  },
  profiles: {
    title: 'Provisioning profiles',
    show: 'Show provisioning profiles',
    name: 'Name',
    devices: 'Devices',
    expires: 'Expires',
    builds: 'Current builds',
    types: { ad_hoc: 'Ad hoc', development: 'Development' },
    expired: 'Expired',
    invalid: 'Invalid',
    invalidHint: "Edit and save it on Apple's website.",
    none: 'The team has no ad hoc or development profiles.',
    noBuilds: 'None',
    same: 'Has this version of the profile',
    changed: (count: number): string =>
      count === 0
        ? 'The profile has changed since the build was created'
        : `The profile has changed since the build was created: a rebuild adds ${count === 1 ? '1 device' : `${count} devices`}`,
  },
  rebuilds: {
    list: 'Builds to rebuild',
    title: (count: number): string =>
      count === 1 ? 'Rebuild to include 1 device' : `Rebuild to include ${count} devices`,
    text: (count: number, devices: string, profile: string | null): string =>
      `Registered with Apple: ${devices}. Add ${count === 1 ? 'it' : 'them'} to the profile${profile === null ? '' : ` ${profile}`}, then build again.`,
  },
  publish: {
    title: 'Store publishing',
    action: 'Publish to store',
    actionTitle: (build: string) => `Publish ${build} to a store`,
    connection: 'Connection',
    connectionId: 'Connection ID',
    connectionIdHint: 'Managers of the organization find it on the page Stores.',
    noConnection: (store: string) => `Add a connection to ${store} first.`,
    track: 'Track',
    trackHint: 'Such as internal or beta.',
    notOperational: 'Publishing to app stores is not operational: the job fails, and nothing is sent to the store.',
    requested: 'Publishing requested',
    states: { created: 'Queued', running: 'Running', failed: 'Failed' },
    failures: {
      publishing_not_operational:
        'Publishing to app stores is not operational. Nothing was sent to the store. This says nothing about the build or the credentials.',
    },
    by: (name: string) => `by ${name}`,
  },
};
