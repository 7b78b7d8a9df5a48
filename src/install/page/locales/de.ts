// German texts of the phone pages.
import type { Texts } from './texts.ts';

export const german: Texts = {
  language: 'de',
  direction: 'ltr',
  device: { iphone: 'iPhone', ipad: 'iPad', android: 'Telefon' },
  pageTitle: (name) => `${name} installieren`,

  version: (version, build) => `Version ${version} (${build})`,
  size: 'Größe',
  needs: 'Benötigt',
  orLater: (system) => `${system} oder neuer`,
  released: 'Veröffentlicht',
  justNow: 'gerade eben',
  changes: 'Was sich geändert hat',
  noChanges: 'Zu dieser Veröffentlichung wurde nichts notiert.',
  details: 'Über diese Veröffentlichung',
  channel: 'Kanal',
  project: 'Projekt',
  kind: 'Art',
  debugBuild: 'Debug-Build',

  install: 'Installieren',
  downloadAndInstall: 'Laden und installieren',
  downloadPackage: 'Paket herunterladen (APK)',
  installOnIpad: 'Auf einem iPad? Hier installieren',
  installOnIpadHint:
    'Ein iPad gibt sich gegenüber Webseiten als Mac aus, darum kann diese Seite beide nicht unterscheiden.',

  nextSteps: 'So geht es weiter',

  iosSteps: (name, device) => [
    `Ihr ${device} fragt, ob „${name}“ installiert werden soll. Tippen Sie auf „Installieren“.`,
    'Auf dieser Seite ändert sich sonst nichts. Gehen Sie zum Home-Bildschirm: Dort erscheint das Symbol und füllt sich, während die App lädt.',
    'Sobald das Symbol nicht mehr grau ist, tippen Sie darauf, um die App zu öffnen.',
  ],
  iosTrustStep:
    'Öffnen Sie vor dem ersten Start Einstellungen › Allgemein › VPN und Geräteverwaltung, tippen Sie unter „Unternehmens-App“ auf den Namen der Firma und vertrauen Sie ihr.',
  iosDeveloperModeStep:
    'Falls iOS den Entwicklermodus verlangt, schalten Sie ihn unter Einstellungen › Datenschutz & Sicherheit › Entwicklermodus ein und starten neu.',
  androidSteps: [
    'Der Browser lädt die App herunter. Warnt er vor dieser Art von Datei, laden Sie sie trotzdem.',
    'Öffnen Sie die Datei aus der Benachrichtigung oder aus „Downloads“.',
    'Beim ersten Mal meldet Android, dass Ihr Browser keine unbekannten Apps installieren darf. Tippen Sie auf „Einstellungen“, erlauben Sie diese Quelle und gehen Sie zurück.',
    'Tippen Sie auf „Installieren“. Kennt Play Protect die App nicht, wählen Sie „Weitere Details“ › „Trotzdem installieren“.',
  ],
  oldAndroidSteps: [
    'Öffnen Sie Einstellungen › Sicherheit und schalten Sie „Unbekannte Quellen“ ein. Danach können Sie es wieder ausschalten.',
    'Tippen Sie oben auf die Schaltfläche. Warnt der Browser vor dieser Art von Datei, laden Sie sie trotzdem.',
    'Öffnen Sie die Datei aus der Benachrichtigung oder aus „Downloads“ und tippen Sie auf „Installieren“.',
  ],
  trouble: 'Es klappt nicht?',
  iosTrouble: (device) => [
    {
      title: 'Nach dem Tippen passiert nichts',
      text: 'Warten Sie eine Minute und sehen Sie auf dem Home-Bildschirm nach. Öffnen Sie sonst diese Seite in Safari und versuchen Sie es noch einmal.',
    },
    {
      title: '„Verbindung nicht möglich“',
      text: `Dieses ${device} erreicht den Server nicht oder vertraut seinem Zertifikat nicht. Prüfen Sie WLAN und VPN. War diese Seite schon länger offen, laden Sie sie zuerst neu: Ihre Schaltfläche gilt 15 Minuten.`,
    },
    {
      title: 'Das Symbol bleibt grau',
      text: `Tippen Sie darauf, um fortzufahren. Auf dem ${device} sollte mindestens das Doppelte der Größe der App frei sein.`,
    },
  ],
  iosNotRegistered: (device) => ({
    title: '„Installation nicht möglich“ oder „Integrität konnte nicht überprüft werden“',
    text: `Dieses ${device} ist wahrscheinlich nicht registriert. Bitten Sie Ihr Team um einen Registrierungslink und öffnen Sie ihn hier. Danach ist ein neuer Build nötig.`,
  }),
  androidTrouble: [
    {
      title: '„App wurde nicht installiert“',
      text: 'Dafür gibt es zwei übliche Gründe. Dieser Build ist älter als der installierte: Android lehnt ältere Builds ab, zum Beispiel nachdem Ihr Team eine Freigabe zurückgenommen hat. Oder die installierte App ist mit einem anderen Schlüssel signiert. Deinstallieren Sie in beiden Fällen zuerst die App. Ihre Daten auf dem Telefon gehen verloren.',
    },
    {
      title: '„Beim Parsen des Pakets ist ein Problem aufgetreten“',
      text: 'Der Download ist abgebrochen, oder dieses Telefon ist zu alt für die App. Laden Sie sie noch einmal.',
    },
    {
      title: 'Ein Samsung-Telefon verweigert, ohne zu fragen',
      text: 'Öffnen Sie Einstellungen › Sicherheit und Datenschutz › Automatische Sperre und schalten Sie sie aus. Danach können Sie sie wieder einschalten.',
    },
    { title: 'Zu wenig Speicherplatz', text: 'Machen Sie mindestens das Doppelte der Größe der App frei.' },
  ],

  profileExpires: (when, day) => ({
    title: `Dieser Build läuft ${when} ab`,
    text: `Sein Bereitstellungsprofil endet am ${day}. Danach öffnet sich die App nicht mehr, und Sie brauchen einen neueren Build.`,
  }),
  unreadable: {
    title: 'Dieses Paket ließ sich nicht lesen',
    text: 'Name, Version und Signatur konnten hier nicht geprüft werden. Vielleicht lässt es sich trotzdem installieren. Fahren Sie nur fort, wenn Sie den Absendern dieses Links vertrauen.',
  },
  reinstall: (reason, version) => ({
    title: 'Kein Update: Entfernen Sie zuerst die frühere App',
    text: {
      certificate: `Dieser Build ist mit einem anderen Schlüssel signiert als ${version}, der vorher hier angeboten wurde. Haben Sie jenen installiert, deinstallieren Sie ihn zuerst, sonst lehnt Android diesen ab. Seine Daten auf dem Telefon gehen verloren.`,
      downgrade: `Dieser Build ist älter als ${version}, der vorher hier angeboten wurde. Haben Sie jenen installiert, deinstallieren Sie ihn zuerst, sonst lehnt Android diesen ab. Seine Daten auf dem Telefon gehen verloren.`,
      team: `Dieser Build stammt von einem anderen Entwicklerteam als ${version}, der vorher hier angeboten wurde. Haben Sie jenen installiert, löschen Sie ihn zuerst, sonst lehnt iOS diesen ab. Seine Daten auf dem Gerät gehen verloren.`,
    }[reason],
  }),
  linkExpires: (when) => `Dieser Link läuft ${when} ab.`,

  desktop: (platform) =>
    platform === 'ios'
      ? {
          title: 'Öffnen Sie diese Seite auf Ihrem iPhone oder iPad',
          text: 'Richten Sie die Kamera auf den Code und tippen Sie auf den Link, der erscheint.',
        }
      : {
          title: 'Öffnen Sie diese Seite auf Ihrem Android-Telefon',
          text: 'Richten Sie die Kamera auf den Code und tippen Sie auf den Link, der erscheint.',
        },
  qrCode: 'QR-Code mit der Adresse dieser Seite',
  linkToPage: 'Link zu dieser Seite',
  sendLink: 'Oder schicken Sie sich diesen Link',

  inApp: (app, browser) => ({
    title: `Öffnen Sie diese Seite in ${browser}`,
    text:
      app === null
        ? 'Sie sehen sie in einer anderen App, und von dort lassen sich keine Apps installieren.'
        : `Sie sehen sie in ${app}, und von dort lassen sich keine Apps installieren.`,
  }),
  openIn: (browser) => `In ${browser} öffnen`,
  inAppSteps: {
    ios: [
      'Tippen Sie am Rand des Bildschirms auf ••• , auf „Teilen“ oder auf den Kompass.',
      'Wählen Sie „In Safari öffnen“ oder „Im Browser öffnen“.',
      'Oder kopieren Sie den Link unten und fügen Sie ihn in die Adresszeile von Safari ein.',
    ],
    android: [
      'Tippen Sie am Rand des Bildschirms auf ⋮ oder ••• .',
      'Wählen Sie „In Chrome öffnen“ oder „Im Browser öffnen“.',
      'Oder kopieren Sie den Link unten und fügen Sie ihn in die Adresszeile Ihres Browsers ein.',
    ],
  },
  ifThatFails: 'Falls das nicht klappt',
  tryHere: 'Trotzdem hier versuchen',

  registered: (device) => `Dieses ${device} ist für diesen Build registriert.`,
  registeredOnly: (device) =>
    `Dieser Build läuft nur auf registrierten Geräten. Ist dieses ${device} neu? Bitten Sie Ihr Team um einen Registrierungslink und öffnen Sie ihn zuerst hier.`,
  notRegistered: (device) => ({
    title: `Dieses ${device} ist nicht registriert`,
    text: `Der Build läuft nur auf registrierten Geräten, und dieses ${device} gehört nicht dazu. iOS würde ihn ablehnen.`,
  }),
  notRegisteredSteps: (device) => [
    'Bitten Sie die Person, die Ihnen diesen Link geschickt hat, um einen Registrierungslink.',
    `Öffnen Sie ihn auf diesem ${device} in Safari und folgen Sie ihm bis zum Ende.`,
    `Ihr Team macht dann einen Build, der dieses ${device} einschließt. Er erscheint auf dieser Seite.`,
  ],
  awaitingBuild: (device) => ({
    title: `Dieses ${device} wartet auf einen neuen Build`,
    text: `Es ist registriert, aber dieser Build wurde ohne es gemacht. iOS würde ihn ablehnen.`,
  }),
  awaitingBuildSteps: (device) => [
    `Sagen Sie Ihrem Team, dass dieses ${device} wartet: Es nimmt das Gerät in sein Bereitstellungsprofil auf und baut neu.`,
    'Behalten Sie diesen Link. Der neue Build erscheint auf dieser Seite.',
  ],
  otherDevice: (device) =>
    `Haben Sie gerade zu diesem ${device} gewechselt? Dann hält diese Seite es vielleicht noch für das alte, und Sie können es versuchen.`,

  osTooOld: (needed, actual, device) => ({
    title: `Benötigt ${needed} oder neuer`,
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
  wrongPlatform: (platform, device) =>
    platform === 'ios'
      ? {
          title: 'Diese App ist für iPhone und iPad',
          text: `Auf einem Android-${device} lässt sie sich nicht installieren. Scannen Sie den Code mit einem iPhone oder iPad, oder schicken Sie den Link dorthin.`,
        }
      : {
          title: 'Diese App ist für Android',
          text: `Auf einem ${device} lässt sie sich nicht installieren. Scannen Sie den Code mit einem Android-Telefon, oder schicken Sie den Link dorthin.`,
        },
  wrongFamily: (device) => ({
    title: device === 'iPhone' ? 'Diese App ist für das iPad' : `Diese App ist nicht für das ${device}`,
    text:
      device === 'iPhone'
        ? 'Auf einem iPhone lässt sie sich nicht installieren. Scannen Sie den Code mit einem iPad, oder schicken Sie den Link dorthin.'
        : `Auf einem ${device} lässt sie sich nicht installieren. Fragen Sie Ihr Team, für welche Geräte sie ist.`,
  }),
  profileExpired: (day) => ({
    title: 'Dieser Build ist abgelaufen',
    text: `Sein Bereitstellungsprofil endete am ${day}, darum installiert iOS ihn nicht mehr. Bitten Sie Ihr Team um einen neuen Build.`,
  }),
  notInstallable: {
    app_store_profile: {
      title: 'Dieser Build ist für den App Store bestimmt',
      text: 'Er ist für den App Store signiert, und iOS installiert solche Builds nur von dort. Bitten Sie Ihr Team um einen Build mit Ad-hoc-, Entwicklungs- oder Unternehmensprofil.',
    },
    simulator: {
      title: 'Dieser Build ist für den Simulator',
      text: 'Er läuft auf einem Mac, nicht auf einem Gerät. Bitten Sie Ihr Team um einen Build für Geräte.',
    },
    unsigned: {
      title: 'Dieser Build ist nicht signiert',
      text: 'Telefone installieren nur signierte Apps. Bitten Sie Ihr Team um einen signierten Build.',
    },
    partial: {
      title: 'Das ist nur ein Teil einer App',
      text: 'Das Paket ist eines von mehreren Teilpaketen. Bitten Sie Ihr Team um ein vollständiges APK.',
    },
    test_only: {
      title: 'Dieser Build ist für das eigene Telefon eines Entwicklers',
      text: 'Er ist als „test only“ gekennzeichnet, und Android installiert solche Pakete nur von einem Computer aus. Bitten Sie Ihr Team um einen Build für Tester.',
    },
    abi_missing: {
      title: 'Dieser Build ist für andere Prozessoren',
      text: 'Er enthält keinen Code für den Prozessor dieses Telefons. Bitten Sie Ihr Team um einen, der ihn enthält.',
    },
    unreadable: {
      title: 'Dieses Paket ließ sich nicht lesen',
      text: 'Es ist beschädigt oder ungewöhnlich gebaut und kann iOS so nicht angeboten werden. Bitten Sie Ihr Team, den Build noch einmal hochzuladen.',
    },
  },
  httpsNeeded: {
    title: 'Dieser Server ist noch nicht bereit für iOS',
    text: 'iOS installiert Apps nur über https, und dieser Server gibt http-Links aus. Wer ihn betreibt, muss eine base_url einstellen, die mit https:// beginnt.',
  },
  locked: {
    title: 'Downloads ruhen',
    text: 'Die Organisation hinter dieser App kann sie gerade nicht ausgeben. Behalten Sie den Link und fragen Sie die Person, die ihn geschickt hat: Sobald das geklärt ist, lässt sich die App hier wieder installieren.',
  },
  nothingReleased: {
    title: 'Noch nichts zu installieren',
    text: 'Das Team hat hier noch keinen Build veröffentlicht oder ihn zurückgezogen. Behalten Sie den Link: Die nächste Veröffentlichung erscheint auf dieser Seite.',
  },
  superseded: {
    title: 'Dieser Build wird nicht mehr angeboten',
    text: 'Er wurde durch einen anderen ersetzt oder zurückgezogen.',
  },
  showCurrent: 'Den aktuellen Build zeigen',
  linkExpired: {
    title: 'Dieser Link gilt nicht mehr',
    text: 'Installationslinks gelten nur kurz. Öffnen Sie dort, wo Sie ihn herhaben, einen neuen, oder fragen Sie die Person, die ihn geschickt hat.',
  },
  notFound: {
    title: 'Hier ist nichts',
    text: 'Vielleicht ist die Adresse unvollständig, oder was hier war, ist fort oder nicht öffentlich. Prüfen Sie den Link, oder bitten Sie die Person, die ihn geschickt hat, um einen neuen.',
  },
};
