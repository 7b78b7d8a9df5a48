// The words of the page that offers the server's own authority, in both languages.
import type { Catalog } from '../languages.ts';

export interface TrustTexts {
  title: string;
  /** The reason for the page. `host` is the server's host name. */
  reason(host: string): string;
  fingerprintTitle: string;
  fingerprintHint: string;
  ios: Platform;
  /** What iOS shows, word for word, and descriptions of the drawings for people who can't see them. */
  pictures: {
    ask: { label: string; question: string; cancel: string; go: string };
    downloaded: { label: string; title: string; row: string };
    trust: { label: string; title: string; hint: string };
  };
  android: Platform;
  mac: Platform;
  windows: Platform;
  linux: Platform;
  afterTitle: string;
  after: string;
  open: string;
}

export interface Platform {
  title: string;
  button: string;
  /** `authority` is the name of the certificate as shown on phones. */
  steps(authority: string): readonly string[];
}

const english: TrustTexts = {
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
    ask: {
      label: 'Safari asks whether to download the profile. The button Allow is marked.',
      question: 'This website is trying to download a configuration profile. Do you want to allow this?',
      cancel: 'Ignore',
      go: 'Allow',
    },
    downloaded: {
      label: 'The app Settings. The row Profile Downloaded is marked.',
      title: 'Settings',
      row: 'Profile Downloaded',
    },
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

const german: TrustTexts = {
  title: 'Diesem Server vertrauen',
  reason: (host) =>
    `${host} verwendet eine eigene Zertifizierungsstelle. Ihr Gerät muss ihr einmal vertrauen, damit es Seiten ohne Warnung öffnet und Apps von hier installieren kann. Die Stelle kann nur Zertifikate für diesen Server ausstellen, nicht für andere Seiten.`,
  fingerprintTitle: 'Fingerabdruck prüfen',
  fingerprintHint:
    'Vergleichen Sie diesen SHA-256-Fingerabdruck mit dem, den der Betreiber des Servers bei „taxiway check“ sieht. Fahren Sie nur fort, wenn beide übereinstimmen.',
  ios: {
    title: 'iPhone und iPad',
    button: 'Profil herunterladen',
    steps: (authority) => [
      'Öffnen Sie diese Seite in Safari und tippen Sie auf „Profil herunterladen“, dann auf „Zulassen“.',
      'Öffnen Sie Einstellungen, tippen Sie oben auf „Profil geladen“, dann auf „Installieren“, und geben Sie Ihren Code ein. (Später finden Sie es unter Allgemein › VPN und Geräteverwaltung.)',
      'Öffnen Sie Einstellungen › Allgemein › Info › Zertifikatsvertrauenseinstellungen, ganz unten.',
      `Schalten Sie unter „Volles Vertrauen für Root-Zertifikate aktivieren“ den Eintrag „${authority}“ ein und tippen Sie auf „Weiter“.`,
    ],
  },
  pictures: {
    ask: {
      label: 'Safari fragt, ob das Profil geladen werden darf. Die Taste „Zulassen“ ist markiert.',
      question: 'Diese Website versucht, ein Konfigurationsprofil zu laden. Möchtest du dies zulassen?',
      cancel: 'Ignorieren',
      go: 'Zulassen',
    },
    downloaded: {
      label: 'Die App „Einstellungen“. Die Zeile „Profil geladen“ ist markiert.',
      title: 'Einstellungen',
      row: 'Profil geladen',
    },
    trust: {
      label: 'Die Seite „Zertifikatsvertrauenseinstellungen“. Der Schalter des Zertifikats ist markiert.',
      title: 'Vertrauenseinstellungen',
      hint: 'Volles Vertrauen für Root-Zertifikate aktivieren',
    },
  },
  android: {
    title: 'Android',
    button: 'Zertifikat herunterladen',
    steps: (authority) => [
      'Tippen Sie auf „Zertifikat herunterladen“.',
      'Öffnen Sie Einstellungen und suchen Sie nach „CA-Zertifikat“. (Meist Sicherheit und Datenschutz › Weitere Sicherheitseinstellungen › Verschlüsselung und Anmeldedaten › Zertifikat installieren › CA-Zertifikat.)',
      'Tippen Sie auf „Trotzdem installieren“, bestätigen Sie mit Ihrer Displaysperre und wählen Sie taxiway.crt unter Downloads.',
      `Es erscheint als „${authority}“ unter Vertrauenswürdige Anmeldedaten › Nutzer. Chrome verwendet es sofort.`,
      'In Firefox schalten Sie außerdem „CA-Zertifikate von Drittanbietern verwenden“ ein: Einstellungen › Über Firefox, fünfmal auf das Logo tippen, zurück, Secret Settings.',
    ],
  },
  mac: {
    title: 'Mac',
    button: 'Zertifikat herunterladen',
    steps: (authority) => [
      'Öffnen Sie taxiway.crt: Wenn die Schlüsselbundverwaltung nach dem Schlüsselbund fragt, wählen Sie „Anmeldung“.',
      `Doppelklicken Sie auf „${authority}“, öffnen Sie „Vertrauen“ und setzen Sie „Bei Verwendung dieses Zertifikats“ auf „Immer vertrauen“.`,
    ],
  },
  windows: {
    title: 'Windows',
    button: 'Zertifikat herunterladen',
    steps: () => [
      'Öffnen Sie taxiway.crt und wählen Sie „Zertifikat installieren“, dann „Aktueller Benutzer“.',
      'Wählen Sie „Alle Zertifikate in folgendem Speicher speichern“, „Durchsuchen“, „Vertrauenswürdige Stammzertifizierungsstellen“, und bestätigen Sie.',
    ],
  },
  linux: {
    title: 'Linux',
    button: 'Zertifikat herunterladen (PEM)',
    steps: () => [
      'Debian und Ubuntu: sudo cp taxiway.pem /usr/local/share/ca-certificates/taxiway.crt && sudo update-ca-certificates',
      'Fedora: sudo cp taxiway.pem /etc/pki/ca-trust/source/anchors/ && sudo update-ca-trust',
      'Chrome und Firefox haben eigene Listen: Einstellungen › Datenschutz und Sicherheit › Zertifikate › Zertifizierungsstellen › Importieren.',
    ],
  },
  afterTitle: 'Nächster Schritt',
  after: 'Öffnen Sie den Server. Wenn keine Warnung erscheint, sind Sie fertig.',
  open: 'Server öffnen',
};

export const trustTexts: Catalog<TrustTexts> = { en: english, de: german };
