// The words of the page that offers the server's own authority, in both languages.
import type { Catalog } from '../languages.ts';

export interface TrustTexts {
  title: string;
  /** Why the page is there; `host` is the server's. */
  reason(host: string): string;
  fingerprintTitle: string;
  fingerprintHint: string;
  ios: Platform;
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
  /** `authority` is the name of the certificate as phones show it. */
  steps(authority: string): readonly string[];
}

const english: TrustTexts = {
  title: 'Trust this server',
  reason: (host) =>
    `${host} vouches for its address with a certificate authority of its own. Your device has to trust it once, before it opens pages without a warning and installs apps from here. The authority can vouch for this server only, and for no other site.`,
  fingerprintTitle: 'Is it the right one?',
  fingerprintHint:
    'Compare this SHA-256 fingerprint with the one that the person who runs the server reads in “taxiway check”. Go on only when they are the same.',
  ios: {
    title: 'iPhone and iPad',
    button: 'Download the profile',
    steps: (authority) => [
      'Open this page in Safari and tap “Download the profile”, then “Allow”.',
      'Open Settings, tap “Profile Downloaded” at the top, then “Install”, and enter your passcode. (Later it is found under General › VPN & Device Management.)',
      'Open Settings › General › About › Certificate Trust Settings, at the very bottom.',
      `Under “Enable full trust for root certificates” turn on “${authority}” and tap “Continue”.`,
    ],
  },
  android: {
    title: 'Android',
    button: 'Download the certificate',
    steps: (authority) => [
      'Tap “Download the certificate”.',
      'Open Settings and search for “CA certificate”. (Mostly Security & privacy › More security settings › Encryption & credentials › Install a certificate › CA certificate.)',
      'Tap “Install anyway”, confirm with your screen lock, and choose taxiway.crt in Downloads.',
      `It is listed as “${authority}” under Trusted credentials › User. Chrome uses it at once.`,
      'In Firefox also turn on “Use third party CA certificates”: Settings › About Firefox, tap the logo five times, go back, Secret Settings.',
    ],
  },
  mac: {
    title: 'Mac',
    button: 'Download the certificate',
    steps: (authority) => [
      'Open taxiway.crt: Keychain Access asks where to add it; choose “login”.',
      `Double-click “${authority}”, open “Trust”, and set “When using this certificate” to “Always Trust”.`,
    ],
  },
  windows: {
    title: 'Windows',
    button: 'Download the certificate',
    steps: () => [
      'Open taxiway.crt and choose “Install Certificate”, then “Current User”.',
      'Choose “Place all certificates in the following store”, “Browse”, “Trusted Root Certification Authorities”, and confirm.',
    ],
  },
  linux: {
    title: 'Linux',
    button: 'Download the certificate (PEM)',
    steps: () => [
      'Debian and Ubuntu: sudo cp taxiway.pem /usr/local/share/ca-certificates/taxiway.crt && sudo update-ca-certificates',
      'Fedora: sudo cp taxiway.pem /etc/pki/ca-trust/source/anchors/ && sudo update-ca-trust',
      'Chrome and Firefox keep lists of their own: Settings › Privacy and security › Certificates › Authorities › Import.',
    ],
  },
  afterTitle: 'Then',
  after: 'Open the server. When no warning appears, everything is ready.',
  open: 'Open the server',
};

const german: TrustTexts = {
  title: 'Diesem Server vertrauen',
  reason: (host) =>
    `${host} bürgt für seine Adresse mit einer eigenen Zertifizierungsstelle. Ihr Gerät muss ihr einmal vertrauen, damit es Seiten ohne Warnung öffnet und Apps von hier installiert. Die Stelle kann nur für diesen Server bürgen und für keine andere Seite.`,
  fingerprintTitle: 'Ist es die richtige?',
  fingerprintHint:
    'Vergleichen Sie diesen SHA-256-Fingerabdruck mit dem, den der Betreiber des Servers bei „taxiway check“ liest. Gehen Sie nur weiter, wenn beide gleich sind.',
  ios: {
    title: 'iPhone und iPad',
    button: 'Profil laden',
    steps: (authority) => [
      'Öffnen Sie diese Seite in Safari und tippen Sie auf „Profil laden“, dann auf „Zulassen“.',
      'Öffnen Sie Einstellungen, tippen Sie oben auf „Profil geladen“, dann auf „Installieren“, und geben Sie Ihren Code ein. (Später steht es unter Allgemein › VPN und Geräteverwaltung.)',
      'Öffnen Sie Einstellungen › Allgemein › Info › Zertifikatsvertrauenseinstellungen, ganz unten.',
      `Schalten Sie unter „Volles Vertrauen für Root-Zertifikate aktivieren“ den Eintrag „${authority}“ ein und tippen Sie auf „Weiter“.`,
    ],
  },
  android: {
    title: 'Android',
    button: 'Zertifikat laden',
    steps: (authority) => [
      'Tippen Sie auf „Zertifikat laden“.',
      'Öffnen Sie Einstellungen und suchen Sie nach „CA-Zertifikat“. (Meist Sicherheit und Datenschutz › Weitere Sicherheitseinstellungen › Verschlüsselung und Anmeldedaten › Zertifikat installieren › CA-Zertifikat.)',
      'Tippen Sie auf „Trotzdem installieren“, bestätigen Sie mit Ihrer Displaysperre und wählen Sie taxiway.crt unter Downloads.',
      `Es steht als „${authority}“ unter Vertrauenswürdige Anmeldedaten › Nutzer. Chrome verwendet es sofort.`,
      'In Firefox schalten Sie außerdem „CA-Zertifikate von Drittanbietern verwenden“ ein: Einstellungen › Über Firefox, fünfmal auf das Logo tippen, zurück, Secret Settings.',
    ],
  },
  mac: {
    title: 'Mac',
    button: 'Zertifikat laden',
    steps: (authority) => [
      'Öffnen Sie taxiway.crt: Die Schlüsselbundverwaltung fragt, wohin; wählen Sie „Anmeldung“.',
      `Doppelklicken Sie auf „${authority}“, öffnen Sie „Vertrauen“ und setzen Sie „Bei Verwendung dieses Zertifikats“ auf „Immer vertrauen“.`,
    ],
  },
  windows: {
    title: 'Windows',
    button: 'Zertifikat laden',
    steps: () => [
      'Öffnen Sie taxiway.crt und wählen Sie „Zertifikat installieren“, dann „Aktueller Benutzer“.',
      'Wählen Sie „Alle Zertifikate in folgendem Speicher speichern“, „Durchsuchen“, „Vertrauenswürdige Stammzertifizierungsstellen“, und bestätigen Sie.',
    ],
  },
  linux: {
    title: 'Linux',
    button: 'Zertifikat laden (PEM)',
    steps: () => [
      'Debian und Ubuntu: sudo cp taxiway.pem /usr/local/share/ca-certificates/taxiway.crt && sudo update-ca-certificates',
      'Fedora: sudo cp taxiway.pem /etc/pki/ca-trust/source/anchors/ && sudo update-ca-trust',
      'Chrome und Firefox haben eigene Listen: Einstellungen › Datenschutz und Sicherheit › Zertifikate › Zertifizierungsstellen › Importieren.',
    ],
  },
  afterTitle: 'Danach',
  after: 'Öffnen Sie den Server. Wenn keine Warnung erscheint, ist alles bereit.',
  open: 'Server öffnen',
};

export const trustTexts: Catalog<TrustTexts> = { en: english, de: german };
