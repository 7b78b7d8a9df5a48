// Texts about uploads, in German.
import { platformFacts } from '../../../platforms.ts';
import type { Texts } from '../en.ts';

export const upload: Texts['upload'] = {
  title: 'Uploads',
  count: (count) => (count === 1 ? '1 Upload' : `${count} Uploads`),
  percent: (percent) => `${Math.floor(percent)} %`,
  total: 'Gesamtfortschritt',
  failed: 'Fehlgeschlagen',
  needsInput: 'Eingabe nötig',
  fold: 'Uploads einklappen',
  unfold: 'Uploads ausklappen',
  sentOf: (sent, total) => `${sent} von ${total}`,
  releaseWhenDone: 'Nach dem Upload freigeben',
  changeRelease: 'Ändern',
  newApp: (identifier, platform) =>
    identifier === undefined
      ? `Das Paket nennt seine App nicht. ${platform}-Projekt dafür anlegen?`
      : `Kein Projekt hat die App ${identifier}. ${platform}-Projekt dafür anlegen?`,
  createProject: 'Projekt anlegen und freigeben',
  existingProject: 'Oder in ein vorhandenes Projekt hochladen:',
  chooseProject: (identifier, platform) =>
    identifier === undefined
      ? `Das Paket nennt seine App nicht. In welches ${platform}-Projekt gehört es?`
      : `Kein einzelnes Projekt hat die Kennung ${identifier}. In welches ${platform}-Projekt gehört es?`,
  noProject: (platform) => `Sie können hier in kein ${platform}-Projekt hochladen. Legen Sie zuerst eines an.`,
  dropInto: (project) => `Loslassen, um in ${project} hochzuladen`,
  readingPackage: 'Paket wird gelesen …',
  starting: 'Upload wird gestartet …',
  checkingPackage: 'Paket wird geprüft …',
  perSecond: (size) => `${size}/s`,
  timeLeft: (time) => `noch ${time}`,
  cancel: 'Upload abbrechen',
  dismiss: 'Schließen',
  retry: 'Erneut versuchen',
  connectionLost: 'Verbindung unterbrochen. Der Upload wird automatisch fortgesetzt, sobald sie wieder besteht.',
  interrupted: 'Upload unterbrochen. Versuchen Sie es erneut.',
  storageRejected: (status) => `Der Speicher hat den Upload abgelehnt (HTTP ${status}).`,
  diskFull: 'Auf dem Server ist kaum noch Speicherplatz frei.',
  diskFullText: 'Bitten Sie den Betreiber, Platz zu schaffen, und versuchen Sie es dann erneut.',
  storageBusy: 'Der Speicher kann diesen Upload gerade nicht annehmen. Versuchen Sie es gleich erneut.',
  linkExpired: 'Der Upload-Link ist vielleicht abgelaufen. Versuchen Sie es erneut, um einen neuen zu erhalten.',
  numberReserved: 'Diese Build-Nummer ist für einen anderen Upload reserviert',
  numberReservedText:
    'Dieser Upload ist abgelaufen. Der Server gibt Version und Build-Nummer in einigen Minuten frei. Versuchen Sie es dann erneut.',
  rejectedTitle: 'Nicht hochgeladen',
  refusals: {
    not_a_package: () => 'Die Datei ist kein App-Paket.',
    damaged: () => 'Das Paket ist beschädigt oder unvollständig. Bauen oder laden Sie es erneut.',
    bundle: () => 'Das ist ein Android App Bundle (.aab), das Telefone nicht installieren können. Bauen Sie eine .apk.',
    no_app: () => 'Dieses Archiv enthält keine App.',
    unreadable: () => 'Diese Datei ist nicht lesbar.',
    wrong_platform: (platform, found) =>
      `Das ist ein ${platformFacts[found].name}-Paket; das Projekt ist für ${platformFacts[platform].name}.`,
    too_large: (_platform, _found, limit) => `Diese Datei überschreitet das Größenlimit des Servers von ${limit}.`,
  },
  incompleteHint: 'Wir konnten nicht alles aus dem Paket lesen. Ergänzen Sie den Rest:',
  numberTaken:
    'Diese Version und Build-Nummer sind bereits vorhanden oder werden gerade hochgeladen. Ändern Sie eine davon:',
  version: 'Version',
  buildNumber: 'Build-Nummer',
  wholeNumber: 'Geben Sie eine ganze Zahl ein',
  start: 'Upload starten',
  done: 'Hochgeladen',
  doneUnreadable: 'Hochgeladen, aber das Paket ist nicht lesbar.',
  open: 'Build öffnen',
  channel: 'Kanal',
  pickChannel: 'Freigeben auf …',
  noChannels: 'Legen Sie einen Kanal an, um ihn freizugeben.',
  toChannels: 'Zu den Kanälen',
  release: 'Freigeben',
  willRelease: (channel) => `Wird nach dem Upload auf ${channel} freigegeben.`,
  releasing: 'Wird freigegeben …',
  released: (channel) => `Auf ${channel} freigegeben.`,
  openChannel: 'Kanal öffnen',
};
