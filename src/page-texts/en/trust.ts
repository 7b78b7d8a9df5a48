// English texts of the page that offers the server's own certificate authority.
import type { TrustTexts } from '../trust-texts.ts';
import { profileDialogs } from './dialogs.ts';

export const trust: TrustTexts = {
  title: 'Trust this server',
  reason: (host) =>
    `${host} uses its own certificate authority. Your device must trust it once, so that it opens pages without a warning and can install apps from here. The authority can issue certificates only for this server, not for other sites.`,
  fingerprintTitle: 'Check the fingerprint',
  fingerprintHint:
    'Compare this SHA-256 fingerprint with the one the operator of the server sees in “taxiway check”. Continue only if they are the same.',
  ios: {
    title: 'iPhone and iPad',
    button: 'Download profile',
    steps: (authority) => [
      'Open this page in Safari and tap “Download profile”, then “Allow”.',
      'Open Settings, tap “Profile Downloaded” at the top, then “Install”, and enter your passcode. (Later you find it in General › VPN & Device Management.)',
      'Open Settings › General › About › Certificate Trust Settings, at the very bottom.',
      `Under “Enable full trust for root certificates” turn on “${authority}” and tap “Continue”.`,
    ],
  },
  pictures: {
    ...profileDialogs,
    trust: {
      label: 'The page Certificate Trust Settings. The switch of the certificate is marked.',
      title: 'Certificate Trust Settings',
      hint: 'Enable full trust for root certificates',
    },
  },
  android: {
    title: 'Android',
    button: 'Download certificate',
    steps: (authority) => [
      'Tap “Download certificate”.',
      'Open Settings and search for “CA certificate”. (Usually Security & privacy › More security settings › Encryption & credentials › Install a certificate › CA certificate.)',
      'Tap “Install anyway”, confirm with your screen lock, and choose taxiway.crt in Downloads.',
      `It appears as “${authority}” in Trusted credentials › User. Chrome uses it immediately.`,
      'In Firefox also turn on “Use third party CA certificates”: Settings › About Firefox, tap the logo five times, go back, Secret Settings.',
    ],
  },
  mac: {
    title: 'Mac',
    button: 'Download certificate',
    steps: (authority) => [
      'Open taxiway.crt: when Keychain Access asks where to add it, choose “login”.',
      `Double-click “${authority}”, open “Trust”, and set “When using this certificate” to “Always Trust”.`,
    ],
  },
  windows: {
    title: 'Windows',
    button: 'Download certificate',
    steps: () => [
      'Open taxiway.crt and choose “Install Certificate”, then “Current User”.',
      'Choose “Place all certificates in the following store”, “Browse”, “Trusted Root Certification Authorities”, and confirm.',
    ],
  },
  linux: {
    title: 'Linux',
    button: 'Download certificate (PEM)',
    steps: () => [
      'Debian and Ubuntu: sudo cp taxiway.pem /usr/local/share/ca-certificates/taxiway.crt && sudo update-ca-certificates',
      'Fedora: sudo cp taxiway.pem /etc/pki/ca-trust/source/anchors/ && sudo update-ca-trust',
      'Chrome and Firefox have their own lists: Settings › Privacy and security › Certificates › Authorities › Import.',
    ],
  },
  afterTitle: 'Next',
  after: 'Open the server. If no warning appears, you’re done.',
  open: 'Open server',
};
