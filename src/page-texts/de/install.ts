// German texts of the phone pages.

import { CAPABILITY_LIFETIME_MS, germanLifetime } from '../../lib/lifetimes.ts';
import type { InstallTexts } from '../install-texts.ts';
import { platforms } from './platforms.ts';

export const install: InstallTexts = {
  language: 'de',
  direction: 'ltr',
  device: { iphone: 'iPhone', ipad: 'iPad', android: 'Telefon' },
  platforms,
  allPlatforms: {
    title: 'Öffnen Sie diese Seite auf Ihrem Telefon',
    text: 'Richten Sie die Kamera auf den Code und tippen Sie auf den angezeigten Link. iPhones, iPads und Android-Telefone erhalten jeweils ihre Version.',
  },
  pageTitle: (name) => `${name} installieren`,

  version: (version, build) => `Version ${version} (${build})`,
  size: 'Größe',
  needs: 'Erfordert',
  orLater: (system) => `${system} oder neuer`,
  released: 'Freigegeben',
  uploaded: 'Hochgeladen',
  justNow: 'gerade eben',
  changes: 'Änderungen',
  screenshots: 'Screenshots',
  screenshot: (number, total) => `Screenshot ${number} von ${total}`,
  noChanges: 'Zu dieser Freigabe gibt es keine Notizen.',
  details: 'Über diese Freigabe',
  noBuildNotes: 'Zu diesem Build gibt es keine Notizen.',
  buildDetails: 'Über diesen Build',
  channel: 'Kanal',
  project: 'Projekt',
  kind: 'Art',
  debugBuild: 'Debug-Build',
  pullRequest: 'Pull Request',
  commit: 'Commit',

  install: 'Installieren',
  downloadAndInstall: 'Herunterladen und installieren',
  downloadPackage: 'Paket herunterladen (APK)',
  installOnIpad: 'Auf einem iPad? Hier installieren',
  installOnIpadHint: 'Ein iPad meldet sich bei Webseiten als Mac, daher kann diese Seite beide nicht unterscheiden.',

  nextSteps: 'Nächste Schritte',

  iosSteps: (name, device) => [
    `Ihr ${device} fragt, ob „${name}“ installiert werden soll. Tippen Sie auf „Installieren“.`,
    'Diese Seite ändert sich nicht. Gehen Sie zum Home-Bildschirm. Dort zeigt das App-Symbol den Fortschritt.',
    'Sobald das Symbol nicht mehr grau ist, tippen Sie darauf.',
  ],
  iosTrustStep:
    'Öffnen Sie vor dem ersten Start Einstellungen › Allgemein › VPN und Geräteverwaltung › Name der Firma und tippen Sie auf „Vertrauen“. Ab iOS 18 startet das Gerät danach neu.',
  iosDeveloperModeStep:
    'Falls iOS den Entwicklermodus verlangt, schalten Sie ihn unter Einstellungen › Datenschutz & Sicherheit › Entwicklermodus ein und starten neu.',
  androidSteps: [
    'Der Browser lädt die App herunter. Falls er vor diesem Dateityp warnt, laden Sie die Datei trotzdem herunter.',
    'Öffnen Sie die Datei aus der Benachrichtigung oder aus „Downloads“.',
    'Beim ersten Mal meldet Android, dass Ihr Browser keine unbekannten Apps installieren darf. Tippen Sie auf „Einstellungen“, erlauben Sie diese Quelle und gehen Sie zurück.',
    'Tippen Sie auf „Installieren“. Falls Play Protect die App nicht kennt, wählen Sie „Weitere Details“ › „Trotzdem installieren“.',
  ],
  oldAndroidSteps: [
    'Öffnen Sie Einstellungen › Sicherheit und schalten Sie „Unbekannte Quellen“ ein. Nach der Installation können Sie die Option wieder ausschalten.',
    'Tippen Sie oben auf die Schaltfläche. Falls der Browser vor diesem Dateityp warnt, laden Sie die Datei trotzdem herunter.',
    'Öffnen Sie die Datei aus der Benachrichtigung oder aus „Downloads“ und tippen Sie auf „Installieren“.',
  ],
  beforeDownload: 'Ihr Browser lädt die App herunter. Danach fragt Android, bevor es sie installiert.',
  afterDownload: 'Ihre Benachrichtigungen zeigen den Fortschritt. Tippen Sie dort auf den fertigen Download.',
  pictures: {
    cancel: 'Abbrechen',
    loading: 'Laden …',
    iosQuestion: (host, name) => `„${host}“ möchte „${name}“ installieren`,
    iosAsks: (question) => `iOS fragt: ${question}. Die Taste „Installieren“ ist markiert.`,
    iosLoads: (device) => `Der Home-Bildschirm des ${device}. Das Symbol der App zeigt den Fortschritt.`,
    iosIsReady: (device) => `Der Home-Bildschirm des ${device}. Das Symbol der App ist markiert.`,
    trust: {
      label:
        'Die Seite „VPN und Geräteverwaltung“ in den Einstellungen. Die Zeile, mit der Sie der Firma vertrauen, ist markiert.',
      title: 'Geräteverwaltung',
      row: '„Firma“ vertrauen',
      hint: (device) => `Apps dieses Entwicklers wird auf diesem ${device} nicht vertraut.`,
    },
    developerMode: {
      label: 'Die Seite „Entwicklermodus“ in den Einstellungen. Der Schalter ist markiert.',
      title: 'Entwicklermodus',
      row: 'Entwicklermodus',
      hint: 'Neustart erforderlich.',
    },
    warning: {
      label: 'Chrome warnt vor der Datei. Die Schaltfläche „Trotzdem herunterladen“ ist markiert.',
      title: 'Datei ist möglicherweise schädlich',
      question: (file) => `Möchtest du ${file} trotzdem herunterladen?`,
      go: 'Trotzdem herunterladen',
    },
    downloaded: {
      label: 'Die Benachrichtigung über den fertigen Download ist markiert.',
      title: 'Download abgeschlossen',
    },
    unknownApps: {
      label:
        'Die Seite „Unbekannte Apps installieren“ in den Einstellungen. Der Schalter „Dieser Quelle vertrauen“ ist markiert.',
      title: 'Unbekannte Apps installieren',
      app: 'Ihr Browser',
      row: 'Dieser Quelle vertrauen',
    },
    confirm: {
      label: 'Android fragt, ob die App installiert werden soll. Die Schaltfläche „Installieren“ ist markiert.',
      question: 'Möchtest du diese App installieren?',
    },
  },
  trouble: 'Probleme bei der Installation?',
  iosTrouble: (device) => [
    {
      title: 'Nach dem Tippen passiert nichts',
      text: 'Warten Sie eine Minute und prüfen Sie den Home-Bildschirm. Erscheint dort kein Symbol, öffnen Sie diese Seite in Safari und versuchen Sie es erneut.',
    },
    {
      title: '„Verbindung nicht möglich“',
      text: `Dieses ${device} erreicht den Server nicht oder vertraut seinem Zertifikat nicht. Prüfen Sie WLAN und VPN. Falls diese Seite schon länger geöffnet ist, laden Sie sie neu. Die Schaltfläche funktioniert ${germanLifetime(CAPABILITY_LIFETIME_MS)} lang.`,
    },
    {
      title: 'Das Symbol bleibt grau',
      text: `Tippen Sie darauf, um fortzufahren. Auf dem ${device} muss mindestens doppelt so viel Speicherplatz frei sein, wie die App groß ist.`,
    },
  ],
  iosNotRegistered: (device, canRegister) => ({
    title: '„Installation nicht möglich“ oder „Integrität konnte nicht überprüft werden“',
    text: canRegister
      ? `Dieses ${device} ist wahrscheinlich nicht registriert. Registrieren Sie es auf dieser Seite. Danach muss Ihr Team einen neuen Build erstellen.`
      : `Dieses ${device} ist wahrscheinlich nicht registriert. Bitten Sie Ihr Team um einen Registrierungslink und öffnen Sie ihn hier. Danach muss Ihr Team einen neuen Build erstellen.`,
  }),
  androidTrouble: [
    {
      title: '„App wurde nicht installiert“',
      text: 'Entweder ist dieser Build älter als der installierte (zum Beispiel, weil Ihr Team eine Freigabe zurückgerollt hat), oder die installierte App ist mit einem anderen Schlüssel signiert. Deinstallieren Sie in beiden Fällen zuerst die App. Ihre Daten auf dem Telefon werden dabei gelöscht.',
    },
    {
      title: '„Beim Parsen des Pakets ist ein Problem aufgetreten“',
      text: 'Der Download ist unvollständig, oder dieses Telefon ist zu alt für die App. Laden Sie sie erneut herunter.',
    },
    {
      title: 'Ein Samsung-Telefon blockiert die Installation',
      text: 'Öffnen Sie Einstellungen › Sicherheit und Datenschutz › Automatische Sperre und schalten Sie die Funktion aus. Nach der Installation können Sie sie wieder einschalten.',
    },
    {
      title: 'Zu wenig Speicherplatz',
      text: 'Geben Sie mindestens doppelt so viel Speicherplatz frei, wie die App groß ist.',
    },
  ],

  profileExpires: (when, day) => ({
    title: `Dieser Build läuft ${when} ab`,
    text: `Das Bereitstellungsprofil läuft am ${day} ab. Danach lässt sich die App nicht mehr öffnen, und Sie brauchen einen neueren Build.`,
  }),
  unreadable: {
    title: 'Das Paket konnte nicht gelesen werden',
    text: 'Name, Version und Signatur konnten nicht geprüft werden. Möglicherweise lässt sich die App trotzdem installieren. Fahren Sie nur fort, wenn Sie den Absendern dieses Links vertrauen.',
  },
  reinstall: (reason, version) => ({
    title: 'Entfernen Sie zuerst die installierte Version',
    text: {
      certificate: `Dieser Build ist mit einem anderen Schlüssel signiert als Version ${version}, die zuvor hier verfügbar war. Falls Version ${version} installiert ist, deinstallieren Sie zuerst die App, sonst lehnt Android das Update ab. Ihre Daten auf dem Telefon werden dabei gelöscht.`,
      downgrade: `Dieser Build ist älter als Version ${version}, die zuvor hier verfügbar war. Falls Version ${version} installiert ist, deinstallieren Sie zuerst die App, sonst lehnt Android die Installation ab. Ihre Daten auf dem Telefon werden dabei gelöscht.`,
      team: `Dieser Build stammt von einem anderen Entwicklerteam als Version ${version}, die zuvor hier verfügbar war. Falls Version ${version} installiert ist, löschen Sie zuerst die App, sonst lehnt iOS das Update ab. Ihre Daten auf dem Gerät werden dabei gelöscht.`,
    }[reason],
  }),
  linkExpires: (when) => `Dieser Link läuft ${when} ab.`,

  qrCode: 'QR-Code mit der Adresse dieser Seite',
  localAddress:
    'Telefone können diese Adresse nicht öffnen. Setzen Sie in config.toml eine Adresse, die sie erreichen: server.base_url',
  linkToPage: 'Link zu dieser Seite',
  sendLink: 'Oder senden Sie sich diesen Link',

  inApp: (app, browser) => ({
    title: `Öffnen Sie diese Seite in ${browser}`,
    text:
      app === null
        ? 'Diese Seite ist in einer anderen App geöffnet. Von dort können keine Apps installiert werden.'
        : `Diese Seite ist in ${app} geöffnet. Von dort können keine Apps installiert werden.`,
  }),
  openIn: (browser) => `In ${browser} öffnen`,
  ifThatFails: 'Falls das nicht funktioniert',
  tryHere: 'Trotzdem hier versuchen',

  registered: (device) => `Dieses ${device} ist für diesen Build registriert.`,
  registeredOnly: (device) =>
    `Dieser Build läuft nur auf registrierten Geräten. Falls dieses ${device} noch nicht registriert ist, bitten Sie Ihr Team um einen Registrierungslink und öffnen Sie ihn zuerst hier.`,
  notRegistered: (device) => ({
    title: `Dieses ${device} ist nicht registriert`,
    text: `Der Build läuft nur auf registrierten Geräten. Dieses ${device} ist keines davon, daher würde iOS die Installation ablehnen.`,
  }),
  notRegisteredSteps: (device) => [
    'Bitten Sie die Person, die Ihnen diesen Link geschickt hat, um einen Registrierungslink.',
    `Öffnen Sie ihn auf diesem ${device} in Safari und folgen Sie den Schritten.`,
    `Ihr Team erstellt dann einen Build für dieses ${device}. Er erscheint auf dieser Seite.`,
  ],
  registerSteps: (device) => [
    `Tippen Sie auf „Dieses ${device} registrieren“. Sie laden ein Profil und installieren es in den Einstellungen.`,
    'Danach öffnet sich diese Seite wieder.',
    `Ihr Team erstellt einen Build für dieses ${device}. Er erscheint hier.`,
  ],
  registerFirst: (device) =>
    `Dieser Build läuft nur auf registrierten Geräten. Falls dieses ${device} noch nicht registriert ist, registrieren Sie es zuerst.`,
  signInFirst: (device) =>
    `Dieser Build läuft nur auf registrierten Geräten. Falls dieses ${device} noch nicht registriert ist, melden Sie sich als Tester an, um es zu registrieren, oder bitten Sie Ihr Team um einen Registrierungslink.`,
  register: (device) => `Dieses ${device} registrieren`,
  testersSignIn:
    'Tester dieser App können sich anmelden und dann auf dieser Seite ein Gerät registrieren oder einen Build anfordern.',
  registerEarly: (device) =>
    `Die App läuft möglicherweise nur auf registrierten Geräten. Registrieren Sie dieses ${device} jetzt, damit der erste Build es enthält.`,
  registeredEarly: (device) =>
    `Dieses ${device} ist registriert. Teilen Sie Ihrem Team mit, dass der erste Build es enthalten soll.`,
  awaitingBuild: (device) => ({
    title: `Dieser Build enthält dieses ${device} noch nicht`,
    text: 'Es ist registriert, aber iOS würde diesen Build ablehnen.',
  }),
  awaitingBuildSteps: (device, canAsk) => [
    canAsk
      ? 'Tippen Sie auf „Build anfordern“. Ihr Team sieht die Anfrage.'
      : `Bitten Sie Ihr Team, dieses ${device} in das Bereitstellungsprofil aufzunehmen und einen neuen Build zu erstellen.`,
    'Behalten Sie diesen Link. Der neue Build erscheint auf dieser Seite.',
  ],
  askForBuild: 'Build anfordern',
  waiting: (device, isAtApple) => ({
    title: `Dieses ${device} wartet auf einen neuen Build`,
    text: isAtApple
      ? 'Es ist bei Apple registriert, und der nächste Build kann es enthalten.'
      : 'Es ist registriert, und Ihr Team sieht, dass es wartet.',
  }),
  waitingSteps: (device, isEmailed) => [
    `Ihr Team nimmt dieses ${device} in den nächsten Build auf.`,
    isEmailed
      ? 'Sobald der Build bereit ist, erhalten Sie eine E-Mail.'
      : 'Behalten Sie diesen Link und öffnen Sie ihn später erneut.',
    'Diese Seite zeigt dann die Schaltfläche „Installieren“.',
  ],
  isOtherDevice: (device) => `Haben Sie zu einem anderen ${device} gewechselt?`,
  otherDevice: (device) =>
    `Haben Sie gerade zu diesem ${device} gewechselt? Dann erkennt diese Seite möglicherweise noch Ihr altes Gerät, und Sie können die Installation trotzdem versuchen.`,

  osTooOld: (needed, actual, device) => ({
    title: `Erfordert ${needed} oder neuer`,
    text: `Auf diesem ${device} läuft ${actual}. Das ist zu alt für die App.`,
  }),
  osTooOldSteps: {
    iphone: [
      'Öffnen Sie Einstellungen › Allgemein › Softwareupdate.',
      'Installieren Sie das Update und öffnen Sie diese Seite dann erneut.',
      'Gibt es für dieses iPhone kein Update, bitten Sie Ihr Team um einen Build, der darauf läuft.',
    ],
    ipad: [
      'Öffnen Sie Einstellungen › Allgemein › Softwareupdate.',
      'Installieren Sie das Update und öffnen Sie diese Seite dann erneut.',
      'Gibt es für dieses iPad kein Update, bitten Sie Ihr Team um einen Build, der darauf läuft.',
    ],
    android: [
      'Öffnen Sie Einstellungen › System › Softwareupdate.',
      'Installieren Sie das Update und öffnen Sie diese Seite dann erneut.',
      'Gibt es für dieses Telefon kein Update, bitten Sie Ihr Team um einen Build, der darauf läuft.',
    ],
  },
  wrongFamily: (device) => ({
    title: device === 'iPhone' ? 'Diese App ist für das iPad' : `Diese App ist nicht für das ${device}`,
    text:
      device === 'iPhone'
        ? 'Auf einem iPhone lässt sie sich nicht installieren. Scannen Sie den Code mit einem iPad, oder senden Sie den Link an ein solches Gerät.'
        : `Auf einem ${device} lässt sie sich nicht installieren. Fragen Sie Ihr Team nach den unterstützten Geräten.`,
  }),
  profileExpired: (day) => ({
    title: 'Dieser Build ist abgelaufen',
    text: `Das Bereitstellungsprofil ist am ${day} abgelaufen, daher kann iOS die App nicht mehr installieren. Bitten Sie Ihr Team um einen neuen Build.`,
  }),
  notInstallable: {
    app_store_profile: {
      title: 'Dieser Build ist für den App Store bestimmt',
      text: 'iOS installiert ihn nur aus dem App Store. Bitten Sie Ihr Team um einen Build mit Ad-hoc-, Entwicklungs- oder Unternehmensprofil.',
    },
    simulator: {
      title: 'Dieser Build ist für den Simulator',
      text: 'Er läuft nur auf einem Mac. Bitten Sie Ihr Team um einen Build für Geräte.',
    },
    unsigned: {
      title: 'Dieser Build ist nicht signiert',
      text: 'Telefone installieren nur signierte Apps. Bitten Sie Ihr Team um einen signierten Build.',
    },
    partial: {
      title: 'Dieses Paket ist nur ein Teil einer App',
      text: 'Es ist eines von mehreren Teilpaketen (Split-APKs). Bitten Sie Ihr Team um ein vollständiges APK.',
    },
    test_only: {
      title: 'Dieser Build ist nur für Entwicklung bestimmt',
      text: 'Er ist als „test only“ gekennzeichnet. Android installiert solche Pakete nur von einem Computer aus. Bitten Sie Ihr Team um einen Build für Tester.',
    },
    signature_too_old: {
      title: 'Dieser Build ist für ältere Telefone signiert',
      text: 'Ab Android 11 ist für diese App eine Signatur nach einem neueren Verfahren nötig. Bitten Sie Ihr Team, den Build mit dem Signaturschema v2 oder neuer zu signieren.',
    },
    abi_missing: {
      title: 'Dieser Build ist für andere Prozessoren',
      text: 'Er enthält keinen Code für den Prozessor dieses Telefons. Bitten Sie Ihr Team um einen Build, der auf diesem Telefon läuft.',
    },
    unreadable: {
      title: 'Das Paket konnte nicht gelesen werden',
      text: 'Es ist beschädigt oder ungewöhnlich aufgebaut und kann daher nicht installiert werden. Bitten Sie Ihr Team, den Build erneut hochzuladen.',
    },
  },
  httpsNeeded: {
    title: 'Dieser Server ist noch nicht bereit für iOS',
    text: 'iOS installiert Apps nur über https, dieser Server verwendet jedoch http. Der Betreiber muss eine base_url konfigurieren, die mit https:// beginnt.',
  },
  locked: {
    title: 'Downloads sind pausiert',
    text: 'Die Organisation kann diese App derzeit nicht bereitstellen. Behalten Sie den Link und wenden Sie sich an die Person, die ihn geschickt hat. Sobald die Organisation das Problem gelöst hat, können Sie die App hier wieder installieren.',
  },
  nothingReleased: {
    title: 'Noch nichts zu installieren',
    text: 'Das Team hat noch keinen Build freigegeben oder den letzten zurückgezogen. Behalten Sie den Link. Die nächste Freigabe erscheint auf dieser Seite.',
  },
  superseded: {
    title: 'Dieser Build ist nicht mehr verfügbar',
    text: 'Er wurde ersetzt oder zurückgezogen.',
  },
  showCurrent: 'Aktuellen Build anzeigen',
  buildRevoked: {
    title: 'Dieser Build ist nicht mehr verfügbar',
    text: 'Er wurde zurückgezogen. Bitten Sie Ihr Team um einen neueren Build.',
  },
  linkExpired: {
    title: 'Dieser Link ist abgelaufen',
    text: 'Installationslinks gelten nur kurze Zeit. Öffnen Sie einen neuen Link an derselben Stelle, oder bitten Sie die Person, die ihn geschickt hat, um einen neuen.',
  },

  signIn: {
    title: 'Zum Installieren anmelden',
    text: 'Nur Tester können diese App installieren. Melden Sie sich mit der eingeladenen E-Mail-Adresse an.',
  },
  signInButton: 'Anmelden',
  signInForPlatform: (device) =>
    `Wenn das Team Ihnen Zugriff auf die App für Ihr ${device} gegeben hat, melden Sie sich an, um sie zu installieren.`,
  noAccess: (email) => ({
    title: 'Sie haben keinen Zugriff auf diese App',
    text: `Sie sind als ${email} angemeldet. Bitten Sie das Team um Zugriff, oder melden Sie sich mit der eingeladenen Adresse an. Vielleicht ist auch der Link falsch, oder die App wurde entfernt.`,
  }),
  askForAccess: 'Um Zugriff bitten',
  otherAccount: 'Anderes Konto verwenden',
  accessAsked: {
    title: 'Anfrage gesendet',
    text: 'Falls es diese App gibt, kann ihr Team Ihnen jetzt Zugriff geben. Sie erhalten dann eine E-Mail, und dieser Link installiert die App.',
  },
  accessAskedUnmailed: {
    title: 'Anfrage gesendet',
    text: 'Falls es diese App gibt, kann ihr Team Ihnen jetzt Zugriff geben. Öffnen Sie diese Seite später erneut, um die App zu installieren.',
  },
  askedTooOften: (most) => ({
    title: `Sie haben um Zugriff auf ${most} Apps gebeten`,
    text: 'Sie können um weitere bitten, sobald ein Team Ihnen Zugriff gegeben hat oder eine Anfrage nach 30 Tagen abläuft.',
  }),
  verifyEmail: (email) => ({
    title: 'Bestätigen Sie Ihre E-Mail-Adresse',
    text: `Öffnen Sie den Link in der E-Mail an ${email}, und öffnen Sie dann diese Seite erneut.`,
  }),
  askOperatorToVerify: (email) => ({
    title: 'Ihre E-Mail-Adresse ist nicht bestätigt',
    text: `Dieser Server versendet keine E-Mails. Bitten Sie den Betreiber, ${email} zu bestätigen, und öffnen Sie dann diese Seite erneut.`,
  }),
  openAccount: 'Konto öffnen',
  twoFactorNeeded: {
    title: 'Richten Sie die Zwei-Faktor-Authentifizierung ein',
    text: 'Die Organisation verlangt sie. Richten Sie sie in Ihrem Konto ein, und öffnen Sie dann diese Seite erneut.',
  },
  signInOtherwise: {
    title: 'Melden Sie sich anders an',
    text: 'Diese Organisation erlaubt die Anmeldung per E-Mail nicht. Verwenden Sie ein Passwort, einen Passkey oder Single Sign-on. Wenn Sie noch kein Passwort haben, legen Sie in Ihrem Konto eines fest.',
  },
  passkeyOffer: 'Melden Sie sich nächstes Mal schneller an.',
  addPasskey: 'Passkey hinzufügen',
  sendFeedback: 'Feedback senden',
};
