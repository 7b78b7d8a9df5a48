// Texts of the setup checklist, in German.
import type { Texts } from '../en.ts';

export const setup: Texts['setup'] = {
  title: 'Einrichtung',
  progress: (done, all) => `${done} von ${all} erledigt`,
  hide: 'Checkliste ausblenden',
  show: 'Checkliste zur Einrichtung anzeigen',
  hidden: 'Checkliste ausgeblendet',
  done: 'Erledigt',
  open: 'Offen',
  steps: {
    address: 'Adresse für Telefone',
    https: 'HTTPS',
    email: 'E-Mail',
    project: 'Erstes Projekt',
    phone: 'Erster Build auf einem Telefon',
    colleague: 'Erstes weiteres Mitglied',
    backup: 'Datensicherung',
  },
  addressText: (address) =>
    `${address} funktioniert nur auf diesem Rechner. Setzen Sie dies in config.toml, mit einer Adresse dieses Rechners in Ihrem Netz, und starten Sie den Server neu:`,
  addressNext: 'Öffnen Sie Taxiway dann unter der neuen Adresse. Was Telefone noch benötigen, zeigt:',
  httpsText:
    'iPhones und iPads installieren nur über https. Setzen Sie dies in config.toml, und starten Sie den Server neu:',
  httpsInternal: (address) => `Jedes Telefon muss dem Server dann einmal vertrauen, auf ${address}.`,
  httpsPublic: 'Das Zertifikat wird beim Start des Servers angefordert und automatisch erneuert.',
  httpsDocs: 'Andere Wege, und Server hinter einem Proxy',
  emailText:
    'Einladungen und Hinweise auf Freigaben werden noch nicht gesendet. Setzen Sie dies in config.toml, und starten Sie den Server neu:',
  emailTest: 'Prüfen Sie, ob der Server E-Mails senden kann.',
  sendTest: 'Test-E-Mail senden',
  testWaits:
    'Erledigt, wenn der Mailserver die E-Mail annimmt. Lehnt er sie ab, steht der Grund auf der Seite des Servers.',
  openSystem: 'Serverseite öffnen',
  testSent: (address) => `Test-E-Mail an ${address} ist in der Warteschlange`,
  projectText: 'Legen Sie eine .apk- oder .ipa-Datei auf dieser Seite ab, oder wählen Sie sie oben aus.',
  phoneText: 'Scannen Sie den QR-Code eines Kanals mit einem Telefon, und installieren Sie den Build.',
  phoneTrust: (address) => `Das Telefon muss dem Server zuerst vertrauen, auf ${address}.`,
  phoneFirst: 'Geben Sie zuerst einen Build auf einem Kanal frei.',
  openChannel: 'Kanal öffnen',
  colleagueText: 'Mitglieder sehen die Projekte, zu denen Sie sie hinzufügen.',
  invite: 'Zu den Mitgliedern',
  backupText:
    'Fügen Sie dies mit einem Ordner auf einem anderen Datenträger in config.toml ein und starten Sie den Server neu. Bewahren Sie auch eine Kopie von config.toml auf.',
  backupDone: 'Datensicherung ist eingerichtet',
  backupConfirmed: 'Datensicherung bestätigt',
  backupDocs: 'Eine Sicherung wiederherstellen',
};
