// Projects, builds, channels and uploads, in German.
import type { Texts } from '../en.ts';

/** Numbers of project contents are counted up to this (`GET /projects/{project_id}/contents`). */
const MOST_COUNTED = 10_000;

function count(number: number, one: string, many: string): string {
  const shown = number.toLocaleString('de');
  if (number >= MOST_COUNTED) return `${shown} oder mehr ${many}`;
  return `${shown} ${number === 1 ? one : many}`;
}

export const projects: Texts['projects'] = {
  title: 'Projekte',
  create: 'Neues Projekt',
  name: 'Name',
  platform: 'Plattform',
  platformHint: 'Ein Projekt gehört zu einer App auf einer Plattform. Das lässt sich später nicht ändern.',
  description: 'Beschreibung',
  emptyTitle: 'Noch keine Projekte',
  emptyText:
    'Ein Projekt sammelt die Builds einer App auf einer Plattform. Eines anlegen, dann eine .ipa oder .apk darauf ziehen.',
  emptyMember: 'Die Verwaltung kann in ein Projekt einladen.',
  newestRelease: 'Neueste Freigabe',
  lastUpload: 'Zuletzt hochgeladen',
  tabs: { channels: 'Kanäle', builds: 'Builds', settings: 'Einstellungen' },
  general: 'Allgemein',
  icon: 'Bild',
  iconHint: 'PNG, JPEG oder WebP bis 1 MB. Builds bringen eigene Bilder mit.',
  bundleHint: 'Builds mit anderer Kennung werden markiert.',
  deleteSection: 'Löschen',
  deleteHint: 'Löscht das Projekt mit allen Builds.',
  delete: 'Projekt löschen',
  deleteTitle: (name) => `${name} löschen?`,
  deleteEffect: ({ builds, releases, channels, pending_uploads: uploads }) => {
    const named = [
      count(builds, 'Build', 'Builds'),
      count(releases, 'Freigabe', 'Freigaben'),
      count(channels, 'Kanal', 'Kanäle'),
      ...(uploads === 0 ? [] : [count(uploads, 'unfertiger Upload', 'unfertige Uploads')]),
    ];
    return `Gelöscht werden ${named.join(', ')} und alle Tester, Tokens und Links des Projekts. Niemand kann mehr daraus installieren. Das lässt sich nicht rückgängig machen.`;
  },
  deleteWith: (builds) => (builds === 0 ? 'Projekt löschen' : `Mit ${count(builds, 'Build', 'Builds')} löschen`),
  deleted: (name) => `${name} gelöscht`,
};

export const builds: Texts['builds'] = {
  title: 'Builds',
  status: 'Welche Builds',
  statuses: { active: 'Gültig', revoked: 'Widerrufen', all: 'Alle' },
  version: 'Version',
  size: 'Größe',
  notes: 'Änderungen',
  channels: 'Aktuell auf',
  uploaded: 'Hochgeladen',
  revoked: 'Widerrufen',
  revokedText: 'Niemand kann diesen Build mehr installieren. Widerrufen',
  unreadable: 'Unlesbar',
  emptyTitle: 'Noch keine Builds',
  emptyText: (ending) => `Eine ${ending} irgendwo auf diese Seite ziehen. Name und Version werden daraus gelesen.`,
  noneRevoked: 'Keine widerrufenen Builds',
  noneRevokedText: 'Ein widerrufener Build lässt sich nicht mehr installieren und bleibt zum Nachsehen.',
  noNotes: 'Keine. Sie sagen Testern, was sich geändert hat.',
  editNotes: 'Änderungen bearbeiten',
  download: 'Herunterladen',
  onChannels: 'Aktuell auf',
  onNoChannel: 'Kein Kanal bietet diesen Build gerade an.',
  details: 'Einzelheiten',
  bundleIdentifier: 'App-Kennung',
  file: 'Datei',
  sha256: 'SHA-256',
  id: 'Build-ID',
  revoke: 'Widerrufen',
  revokeTitle: (name) => `${name} widerrufen?`,
  revokeEffect: (channels) => {
    const serving =
      channels === undefined
        ? 'Kanäle, die ihn anbieten, gehen auf das Vorige zurück'
        : channels.length === 0
          ? 'kein Kanal bietet ihn gerade an'
          : `${channels.join(', ')} ${channels.length === 1 ? 'geht' : 'gehen'} auf das Vorige zurück`;
    return `Niemand kann ihn mehr installieren; ${serving}. Das lässt sich nicht rückgängig machen; der Build bleibt in der Liste.`;
  },
  delete: 'Endgültig löschen',
  deleteTitle: (name) => `${name} löschen?`,
  deleteEffect: 'Das Paket und seine Freigaben werden endgültig entfernt.',
  deleted: (name) => `${name} ist gelöscht`,
  inspection: {
    title: 'Was das Paket sagt',
    unreadable: 'Dieses Paket ließ sich nicht lesen',
    unreadableText: 'Es bleibt und lässt sich freigeben; ob es sich installieren lässt, zeigt erst der Versuch.',
    mismatch: 'Etwas passt nicht zusammen',
    mismatchText: (field, declared, found) => `${field}: erwartet ${declared}, im Paket steht ${found}.`,
    mismatchFields: {
      bundle_identifier: 'App-Kennung',
      version_name: 'Version',
      build_number: 'Build-Nummer',
      project_bundle_identifier: 'App-Kennung des Projekts',
    },
    application: 'Name',
    minimumOs: 'Braucht mindestens',
    devices: 'Geräte',
    processors: 'Prozessoren',
    debuggable: 'Debug-fähig',
    yes: 'ja',
    permissions: (count) => (count === 1 ? '1 Berechtigung' : `${count} Berechtigungen`),
    signing: 'Signatur',
    kinds: {
      development: 'Entwicklung',
      'ad-hoc': 'Ad hoc',
      enterprise: 'Unternehmensintern',
      'app-store': 'App Store: lässt sich nicht direkt installieren',
    },
    team: 'Team',
    profile: 'Bereitstellungsprofil',
    expires: 'Läuft ab',
    provisioned: 'Zugelassene Geräte',
    allDevices: 'alle',
    deviceCount: (count) => (count === 1 ? '1 Gerät' : `${count} Geräte`),
    verified: 'geprüft',
    notVerified: 'Die Signatur stimmt nicht: Android lehnt das Paket ab',
    certificate: 'Zertifikat',
  },
};

export const channels: Texts['channels'] = {
  title: 'Kanäle',
  create: 'Neuer Kanal',
  name: 'Name',
  description: 'Beschreibung',
  publicSwitch: 'Öffentlich',
  publicHint: 'Wer den Link hat, kann ohne Anmeldung installieren.',
  autoSwitch: 'Jeden Build freigeben',
  autoHint: 'Jeder neue Build kommt von selbst auf diesen Kanal.',
  notifySwitch: 'Tester per Mail benachrichtigen',
  notifyHint: {
    mailed: 'Eine E-Mail für jede neue Freigabe.',
    unmailed: 'Dieser Server verschickt keine E-Mails. Die Auswahl gilt, sobald er es tut.',
  },
  emptyTitle: 'Noch keine Kanäle',
  emptyText:
    'Einem Kanal wie „beta“ oder „nightly“ folgen die Tester. Builds darauf freigeben und den Link verschicken.',
  isPublic: 'Öffentlich',
  mandatory: 'Pflicht',
  nothingReleased: 'Noch nichts freigegeben',
  nothingReleasedText: 'Einen Build auf diesem Kanal freigeben, oder ein Paket hierher ziehen.',
  qr: 'QR-Code',
  qrLabel: (channel) => `QR-Code der Installationsseite von ${channel}`,
  qrHint: 'Die Kamera eines Telefons darauf richten, oder den Link verschicken.',
  publicLink: 'Installationslink',
  notPublic: 'Dieser Kanal ist nicht öffentlich: nur seine Tester können installieren.',
  makePublic: 'Öffentlich machen',
  openLink: 'Installationsseite öffnen',
  print: 'Drucken',
  release: 'Freigeben',
  releaseBuild: 'Build freigeben',
  releaseOnto: (channel) => `Auf ${channel} freigeben`,
  ontoChannel: 'Auf dem Kanal',
  whichBuild: 'Build',
  noOtherChannel: 'Es gibt keinen anderen Kanal. Bitte erst einen anlegen.',
  releaseNotes: 'Was sich geändert hat',
  releaseNotesHint: 'Das lesen Tester vor dem Installieren.',
  mandatorySwitch: 'Pflicht',
  mandatoryHint: 'Apps, die sich selbst aktualisieren, lassen Tester sie nicht überspringen.',
  current: 'Aktuelle Freigabe',
  released: 'Freigegeben',
  promote: 'Weitergeben',
  promoteTitle: (build) => `${build} weitergeben`,
  rollBack: 'Zurückrollen',
  nothingBefore: 'Davor gibt es nichts, wohin es zurückginge.',
  rollBackTitle: (channel) => `${channel} zurückrollen?`,
  rollBackTo: (build) => `Zurück auf ${build}`,
  rollBackEffect: (testers, downloads, from, to) => {
    const have =
      testers === undefined || downloads === undefined
        ? ''
        : downloads === 0
          ? ' Noch niemand hat sie installiert.'
          : ` ${testers === 1 ? '1 Tester hat' : `${testers} Tester haben`} sie, bei ${downloads === 1 ? '1 Download' : `${downloads} Downloads`} insgesamt.`;
    return `Der Kanal geht von ${from} auf ${to} zurück.${have} ${from} bleibt zurückgerollt; eine neuere Freigabe tritt an ihre Stelle.`;
  },
  rolledBack: (build) => `Der Kanal bietet wieder ${build} an`,
  disable: 'Abschalten',
  enable: 'Einschalten',
  disableTitle: (build) => `${build} abschalten?`,
  disableEffect: (to) => `Der Kanal bietet ${to} an, bis sie wieder eingeschaltet wird.`,
  disableToNothing: 'Der Kanal bietet nichts an, bis sie wieder eingeschaltet wird.',
  history: 'Verlauf',
  states: { active: 'Früher', disabled: 'Abgeschaltet', rolled_back: 'Zurückgerollt' },
  buildRevoked: 'Build widerrufen',
  delete: 'Kanal löschen',
  deleteTitle: (name) => `${name} löschen?`,
  deleteEffect: 'Freigaben, Links und Tester gehen mit; Builds bleiben. Das lässt sich nicht rückgängig machen.',
  deleted: (name) => `${name} ist gelöscht`,
  card: {
    testers: (count) => (count === 1 ? '1 Tester' : `${count} Tester`),
    adoption: (have, all) => `${have} von ${all} Testern haben sie`,
    adoptionLabel: 'Tester, die die aktuelle Freigabe haben',
    downloads: (count) => (count === 1 ? '1 Download' : `${count} Downloads`),
  },
  numbers: {
    title: 'Nutzung',
    currentDownloads: 'Downloads der aktuellen Freigabe',
    currentTesters: 'Tester, die sie geladen haben',
    allDownloads: 'Downloads insgesamt',
    allTesters: 'Tester, die je geladen haben',
    last: 'Letzter Download',
  },
};

export const upload: Texts['upload'] = {
  title: 'Hochladen',
  choose: 'Build hochladen',
  dropAnywhere: 'Zum Hochladen ablegen',
  whichProject: (identifier, platform) =>
    identifier === undefined
      ? `Das Paket nennt seine App nicht. In welches ${platform}-Projekt gehört es?`
      : `Kein einzelnes Projekt hat die Kennung ${identifier}. In welches ${platform}-Projekt gehört es?`,
  noProject: (platform) => `Sie können hier in kein ${platform}-Projekt hochladen. Legen Sie zuerst eines an.`,
  dropHere: (project) => `Loslassen, um in ${project} hochzuladen`,
  recognising: 'Das Paket wird gelesen …',
  starting: 'Es geht los …',
  completing: 'Das Paket wird geprüft …',
  perSecond: (size) => `${size}/s`,
  left: (time) => `noch ${time}`,
  cancel: 'Hochladen abbrechen',
  dismiss: 'Schließen',
  retry: 'Noch einmal versuchen',
  lost: 'Die Verbindung ist abgerissen. Es geht von selbst weiter, sobald sie wieder steht.',
  storageRefused: (status) => `Der Speicher hat die Daten abgelehnt (${status}).`,
  diskFull: 'Auf dem Server ist kaum noch Speicherplatz frei.',
  diskFullText: 'Bitten Sie den Betreiber, Platz zu schaffen, und versuchen Sie es dann erneut.',
  storageBusy: 'Der Speicher kann diesen Upload gerade nicht annehmen. Versuchen Sie es gleich noch einmal.',
  linkEnded: 'Vielleicht ist der Link abgelaufen. Ein neuer Versuch holt einen frischen.',
  held: 'Die Nummer gehört noch zu einem begonnenen Hochladen',
  heldText:
    'Dessen Link ist abgelaufen. In einigen Minuten gibt der Server Version und Nummer frei; dann noch einmal versuchen.',
  refusedTitle: 'Nichts wurde gesendet',
  refusals: {
    not_a_package: () => 'Die Datei ist kein App-Paket.',
    damaged: () => 'Das Paket ist beschädigt oder unvollständig. Bauen oder laden Sie es erneut.',
    bundle: () => 'Das ist ein Android App Bundle (.aab), das Telefone nicht installieren können. Bauen Sie eine .apk.',
    no_app: () => 'In diesem Archiv ist keine App.',
    unreadable: () => 'Diese Datei ist nicht lesbar.',
    wrong_platform: (platform) =>
      platform === 'ios'
        ? 'Das ist ein Android-Paket; das Projekt ist für iOS.'
        : 'Das ist ein iOS-Paket; das Projekt ist für Android.',
    too_large: () => 'Diese Datei ist größer, als der Server annimmt.',
  },
  ask: 'Das Paket sagt nicht alles. Bitte ausfüllen:',
  taken: 'Diese Version mit dieser Build-Nummer gibt es schon, oder sie wird gerade hochgeladen. Bitte eines ändern:',
  version: 'Version',
  buildNumber: 'Build-Nummer',
  wholeNumber: 'Eine ganze Zahl',
  start: 'Hochladen',
  done: 'Hochgeladen.',
  doneUnreadable: 'Hochgeladen, aber das Paket ließ sich nicht lesen.',
  open: 'Build öffnen',
  channel: 'Kanal',
  pickChannel: 'Freigeben auf …',
  noChannels: 'Zum Freigeben einen Kanal anlegen.',
  toChannels: 'Zu den Kanälen',
  release: 'Freigeben',
  willRelease: (channel) => `Kommt auf ${channel}, sobald er da ist.`,
  releasing: 'Wird freigegeben …',
  released: (channel) => `Auf ${channel} freigegeben.`,
  openChannel: 'Kanal öffnen',
};
