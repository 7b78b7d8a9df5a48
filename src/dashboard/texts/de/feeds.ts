// Texts about feeds, in German.
import type { Texts } from '../en.ts';

export const feeds: Texts['feeds'] = {
  title: 'Feeds',
  hint: (stores) =>
    stores === ''
      ? 'Freigaben im Feedreader verfolgen.'
      : `Installieren und aktualisieren mit ${stores}, oder Freigaben im Feedreader verfolgen.`,
  show: 'Adressen anzeigen',
  open: 'Feeds',
  of: (channel) => `Feeds von ${channel}`,
  kinds: {
    fdroid: 'F-Droid-Paketquelle',
    obtainium: 'Obtainium (Quelle: HTML)',
    latest_apk: 'Neuestes Paket',
    altstore: 'Quelle für AltStore und SideStore',
    atom: 'Atom-Feed',
  },
  fingerprint: 'Fingerabdruck der Paketquelle',
  qrLabel: 'QR-Code, der die Paketquelle zu F-Droid hinzufügt',
  qrHint: 'Mit einem Telefon scannen, das F-Droid hat, oder diese Seite dort öffnen:',
  openFdroid: 'Zu F-Droid hinzufügen',
  openObtainium: 'Zu Obtainium hinzufügen',
  help: 'So wird jedes Programm eingerichtet',
  privateHint:
    'Dieser Kanal ist privat. Erstellen Sie eine eigene Adresse: Wer sie kennt, kann an Ihrer Stelle installieren. Halten Sie sie geheim. Sie funktioniert, solange Sie vom Kanal installieren können.',
  create: 'Adressen erstellen',
  note: 'Wofür sie sind',
  unnamed: 'Feed-Token',
  created: 'Erstellt',
  shownOnce: 'Diese Adressen werden nur jetzt angezeigt. Sie enthalten Ihr geheimes Token.',
  revoke: 'Widerrufen',
  revokeNamed: (note) => `${note} widerrufen`,
  revokeEffect: 'Programme mit seinen Adressen erhalten keine Updates mehr.',
};
