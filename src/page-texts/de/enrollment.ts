// German texts of the pages of an enrollment.

import { ENROLLMENT_LIFETIME_MS, germanLifetime } from '../../lib/lifetimes.ts';
import type { EnrollmentTexts } from '../enrollment-texts.ts';
import { profileDialogs } from './dialogs.ts';

export const enrollment: EnrollmentTexts = {
  language: 'de',
  direction: 'ltr',
  device: { iphone: 'iPhone', ipad: 'iPad', device: 'Gerät' },

  profileTitle: (organization) => `Dieses Gerät bei ${organization} registrieren`,
  profileDescription: (organization) =>
    `Übermittelt ${organization} Kennung (UDID), Modell und Systemversion dieses Geräts, damit Test-Builds darauf laufen können. Das Profil ändert keine Einstellungen und bleibt nicht installiert.`,

  enrollTitle: (device) => `Dieses ${device} registrieren`,
  enrollIntro: (organization) =>
    `${organization} möchte Ihnen Test-Builds bereitstellen. iOS führt sie nur auf registrierten Geräten aus.`,
  download: 'Profil herunterladen',
  stepsTitle: 'Nächste Schritte',
  pictures: {
    ...profileDialogs,
    install: {
      label: 'Das Profil vor der Installation. Die Taste „Installieren“ oben rechts ist markiert.',
      title: 'Profil',
      go: 'Installieren',
    },
  },
  steps: (device, returnsToApp) => [
    'Tippen Sie auf „Profil herunterladen“ und dann auf „Zulassen“. iOS meldet, dass das Profil geladen wurde.',
    'Öffnen Sie Einstellungen und tippen Sie oben auf „Profil geladen“. Falls der Eintrag fehlt, öffnen Sie Allgemein › VPN und Geräteverwaltung.',
    `Tippen Sie oben rechts auf „Installieren“, geben Sie den Code für dieses ${device} ein und tippen Sie erneut auf „Installieren“.`,
    returnsToApp
      ? 'Safari öffnet sich automatisch und zeigt wieder die Seite der App.'
      : 'Safari öffnet sich automatisch und zeigt die verfügbaren Apps.',
  ],
  trouble: 'Probleme bei der Registrierung?',
  troubles: (device) => [
    {
      title: '„Profil geladen“ fehlt in den Einstellungen',
      text: 'iOS verwirft ein geladenes Profil nach acht Minuten. Laden Sie es erneut herunter und öffnen Sie dann sofort die Einstellungen.',
    },
    {
      title: 'Das Profil ist „Nicht überprüft“',
      text: `Dieses ${device} kennt das Zertifikat nicht, mit dem das Profil signiert ist. Fahren Sie nur fort, wenn Sie den Absendern dieses Links vertrauen.`,
    },
    {
      title: '„Profilinstallation fehlgeschlagen“',
      text: `Dieses ${device} erreicht den Server nicht, vertraut seinem Zertifikat nicht, oder der Link ist abgelaufen. Prüfen Sie WLAN und VPN, und laden Sie das Profil erneut herunter.`,
    },
  ],
  collectedTitle: 'Erhobene Daten',
  collected: ['Die Kennung des Geräts (UDID)', 'Sein Modell', 'Die Version seines Systems'],
  notCollected: 'Sonst nichts: nicht Name, Telefonnummer, Seriennummer oder Standort und keine Inhalte des Geräts.',
  purpose: (organization) =>
    `Die Mitglieder von ${organization} sehen Modell und Systemversion. Manager und Admins sehen auch die Kennung, registrieren sie bei Apple und können diese Daten jederzeit löschen.`,
  nothingStays: 'Das Profil ändert keine Einstellungen und bleibt nicht auf dem Gerät.',
  linkExpires: (when) => `Dieser Link läuft ${when} ab.`,
  alreadyRegistered: (device, name) => ({
    title: `Dieses ${device} ist bereits registriert`,
    text: `Der Name des Geräts ist „${name}“. Registrieren Sie es nur erneut, wenn Sie darum gebeten wurden.`,
  }),

  openInSafari: (app) => ({
    title: 'Öffnen Sie diese Seite in Safari',
    text:
      app === null
        ? 'Profile können nur in Safari installiert werden.'
        : `Diese Seite ist in ${app} geöffnet. Profile können nur in Safari installiert werden.`,
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
    text: 'Richten Sie die Kamera auf den Code und tippen Sie auf den angezeigten Link.',
  },
  qrCode: 'QR-Code mit der Adresse dieser Seite',
  localAddress:
    'Telefone können diese Adresse nicht öffnen. Setzen Sie in config.toml eine Adresse, die sie erreichen: server.base_url',

  android: {
    title: 'Unter Android nicht erforderlich',
    text: 'Android-Telefone müssen nicht registriert werden. Öffnen Sie den Installationslink von Ihrem Team.',
  },
  httpsNeeded: {
    title: 'Dieser Server ist noch nicht bereit für iOS',
    text: 'iOS akzeptiert Profile nur über https, dieser Server verwendet jedoch http. Der Betreiber muss eine base_url konfigurieren, die mit https:// beginnt.',
  },
  trustFirst: (device) => ({
    title: 'Vertrauen Sie zuerst diesem Server',
    text: `Der Server verwendet ein eigenes Zertifikat. Ein ${device}, das ihm noch nicht vertraut, kann nicht registriert werden.`,
  }),
  trustButton: 'Anleitung',
  cannotSign: {
    title: 'Das Profil konnte nicht signiert werden',
    text: 'Das Zertifikat, mit dem dieser Server Profile signiert, ist ungültig. Der Betreiber findet den Grund im Protokoll oder mit „taxiway check“.',
  },
  deadLink: {
    title: 'Dieser Link funktioniert nicht mehr',
    text: `Registrierungslinks laufen nach ${germanLifetime(ENROLLMENT_LIFETIME_MS)} ab, oder früher, wenn die Organisation oder der Kanal keine Geräte mehr annimmt. Bitten Sie die Person, die ihn geschickt hat, um einen neuen.`,
  },

  resultTitle: (device) => `Dieses ${device} ist registriert`,
  resultText: (name, ending) => `Der Name des Geräts ist „${name}“. Die Kennung endet auf ${ending}.`,
  resultAgain: 'Die Registrierung ist abgeschlossen. Das Profil wurde wieder entfernt.',
  ready: 'Bereit zur Installation',
  waiting: {
    title: 'Wartet auf einen neuen Build',
    text: 'Ihr Team muss dieses Gerät in das Bereitstellungsprofil aufnehmen und einen neuen Build freigeben. Sie müssen nichts weiter tun.',
  },
  waitingAtApple: {
    title: 'Wartet auf einen neuen Build',
    text: 'Dieses Gerät ist bei Apple registriert. Ihr Team muss einen neuen Build freigeben, der es enthält. Sie müssen nichts weiter tun.',
  },
  unsuitable: 'Nicht kompatibel mit diesem Gerät',
  install: 'Installieren',
  askForLink: 'Öffnen Sie den Installationslink von Ihrem Team.',
  version: (version, build) => `Version ${version} (${build})`,
  osTooOld: (needed) => `Erfordert ${needed} oder neuer.`,
  profileExpired: 'Dieser Build ist abgelaufen. Ihr Team muss einen neuen erstellen.',
  wrongFamily: 'Dieser Build ist für einen anderen Gerätetyp.',
  notInstallable: 'Dieser Build kann auf keinem Gerät installiert werden. Ihr Team muss einen neuen erstellen.',
  nothingYet: {
    title: 'Noch nichts zu installieren',
    text: 'Sobald Ihr Team einen Build für dieses Gerät freigegeben hat, können Sie ihn mit dem Installationslink Ihres Teams installieren.',
  },
};
