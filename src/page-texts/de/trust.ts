// German texts of the page that offers the server's own certificate authority.
import type { TrustTexts } from '../trust-texts.ts';
import { profileDialogs } from './dialogs.ts';

export const trust: TrustTexts = {
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
    ...profileDialogs,
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
