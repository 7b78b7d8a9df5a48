// German texts of the pages of an enrollment.
import type { DeviceTexts } from './texts.ts';

export const german: DeviceTexts = {
  language: 'de',
  direction: 'ltr',
  device: { iphone: 'iPhone', ipad: 'iPad', device: 'Gerät' },

  profileTitle: (organization) => `Dieses Gerät bei ${organization} registrieren`,
  profileDescription: (organization) =>
    `Teilt ${organization} Kennung (UDID), Modell und Systemversion dieses Geräts mit, damit Test-Builds darauf laufen können. Es ändert keine Einstellungen und bleibt nicht installiert.`,

  enrollTitle: (device) => `Dieses ${device} registrieren`,
  enrollIntro: (organization) =>
    `${organization} möchte Test-Builds bauen, die darauf laufen. iOS führt solche Builds nur auf registrierten Geräten aus.`,
  download: 'Profil laden',
  stepsTitle: 'So geht es weiter',
  steps: (device) => [
    'Tippen Sie auf „Profil laden“ und dann auf „Zulassen“. iOS meldet, dass das Profil geladen wurde.',
    'Öffnen Sie Einstellungen und tippen Sie oben auf „Profil geladen“. Steht es dort nicht, sehen Sie unter Allgemein › VPN und Geräteverwaltung nach.',
    `Tippen Sie oben rechts auf „Installieren“, geben Sie den Code für dieses ${device} ein und tippen Sie noch einmal auf „Installieren“.`,
    'Safari öffnet sich von selbst und zeigt, was Sie installieren können.',
  ],
  trouble: 'Es klappt nicht?',
  troubles: (device) => [
    {
      title: '„Profil geladen“ steht nicht in den Einstellungen',
      text: 'Nach acht Minuten vergisst iOS ein geladenes Profil. Laden Sie es noch einmal und gehen Sie gleich zu den Einstellungen.',
    },
    {
      title: 'Das Profil ist „Nicht überprüft“',
      text: `Dieses ${device} kennt das Zertifikat nicht, mit dem das Profil signiert ist. Fahren Sie fort, wenn Sie den Absendern dieses Links vertrauen.`,
    },
    {
      title: '„Profilinstallation fehlgeschlagen“',
      text: `Dieses ${device} erreicht den Server nicht, vertraut seinem Zertifikat nicht, oder der Link ist abgelaufen. Prüfen Sie WLAN und VPN, und laden Sie das Profil noch einmal.`,
    },
  ],
  collectedTitle: 'Was erhoben wird, und wozu',
  collected: ['Die Kennung des Geräts (UDID)', 'Sein Modell', 'Die Version seines Systems'],
  notCollected:
    'Sonst nichts: weder Name noch Telefonnummer, Seriennummer oder Ort, und nichts von dem, was darauf ist.',
  purpose: (organization) =>
    `Wer ${organization} verwaltet, sieht diese Angaben und meldet die Kennung bei Apple an. Sie lassen sich jederzeit löschen.`,
  nothingStays: 'Das Profil ändert keine Einstellungen und bleibt nicht auf dem Gerät.',
  linkExpires: (when) => `Dieser Link endet ${when}.`,
  alreadyRegistered: (device, name) => ({
    title: `Dieses ${device} ist schon registriert`,
    text: `Es heißt hier „${name}“. Registrieren Sie es nur neu, wenn Sie darum gebeten wurden.`,
  }),

  openInSafari: (app) => ({
    title: 'Öffnen Sie diese Seite in Safari',
    text:
      app === null
        ? 'Profile lassen sich nur aus Safari installieren.'
        : `Sie sehen sie in ${app}, und Profile lassen sich nur aus Safari installieren.`,
  }),
  openInSafariButton: 'In Safari öffnen',
  openInSafariSteps: [
    'Tippen Sie am Rand des Bildschirms auf ••• , auf „Teilen“ oder auf den Kompass.',
    'Wählen Sie „In Safari öffnen“ oder „Im Browser öffnen“.',
    'Oder kopieren Sie den Link unten und fügen Sie ihn in die Adresszeile von Safari ein.',
  ],
  tryHere: 'Trotzdem hier versuchen',
  address: 'Link zu dieser Seite',

  desktop: {
    title: 'Öffnen Sie diese Seite auf Ihrem iPhone oder iPad',
    text: 'Richten Sie die Kamera auf den Code und tippen Sie auf den Link, der erscheint.',
  },
  qrCode: 'QR-Code mit der Adresse dieser Seite',

  android: {
    title: 'Auf Android ist nichts zu tun',
    text: 'Android-Telefone brauchen keine Registrierung. Öffnen Sie den Installationslink, den Ihr Team geschickt hat.',
  },
  httpsNeeded: {
    title: 'Dieser Server ist noch nicht bereit für iOS',
    text: 'iOS nimmt Profile nur über https an, und dieser Server gibt http-Links aus. Wer ihn betreibt, muss eine base_url einstellen, die mit https:// beginnt.',
  },
  trustFirst: (device) => ({
    title: 'Vertrauen Sie zuerst diesem Server',
    text: `Er hat ein eigenes Zertifikat. Ein ${device}, das ihm noch nicht vertraut, kann seine Antwort nicht schicken.`,
  }),
  trustButton: 'So geht das',
  cannotSign: {
    title: 'Das Profil ließ sich nicht signieren',
    text: 'Das Zertifikat, mit dem dieser Server Profile signiert, ist nicht brauchbar. Wer ihn betreibt, findet den Grund im Protokoll oder mit „taxiway check“.',
  },
  deadLink: {
    title: 'Dieser Link gilt nicht mehr',
    text: 'Links zum Registrieren eines Geräts gelten eine Stunde. Bitten Sie die Person, die ihn geschickt hat, um einen neuen.',
  },

  resultTitle: (device) => `Dieses ${device} ist registriert`,
  resultText: (name, ending) => `Es heißt hier „${name}“. Seine Kennung endet auf ${ending}.`,
  resultAgain: 'Mehr ist hier nicht zu tun, und es ist kein Profil darauf geblieben.',
  ready: 'Das können Sie jetzt installieren',
  waiting: {
    title: 'Wartet auf einen neuen Build',
    text: 'Ihr Team muss dieses Gerät in das Bereitstellungsprofil aufnehmen und einen neuen Build veröffentlichen. Sie selbst müssen nichts tun.',
  },
  unsuitable: 'Nicht für dieses Gerät',
  install: 'Installieren',
  askForLink: 'Öffnen Sie den Link, den Ihr Team geschickt hat.',
  version: (version, build) => `Version ${version} (${build})`,
  osTooOld: (needed) => `Benötigt ${needed} oder neuer.`,
  profileExpired: 'Dieser Build ist abgelaufen. Ihr Team muss einen neuen bauen.',
  wrongFamily: 'Für eine andere Art von Gerät gemacht.',
  notInstallable: 'Dieser Build lässt sich auf keinem Gerät installieren. Ihr Team muss einen anderen bauen.',
  nothingYet: {
    title: 'Noch nichts zu installieren',
    text: 'Sobald Ihr Team einen Build veröffentlicht hat, der auf diesem Gerät läuft, installiert ihn der Link, den es Ihnen schickt.',
  },
};
