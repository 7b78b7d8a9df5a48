// Texts about projects, builds, channels and uploads, in German.

import { MAX_LABEL_LENGTH, MAX_LABELS } from '../../../builds/label-limits.ts';
import { platformFacts } from '../../../platforms.ts';
import { MAX_COUNTED } from '../../../projects/contents-limit.ts';
import type { Texts } from '../en.ts';

function count(number: number, one: string, many: string): string {
  const shown = number.toLocaleString('de');
  if (number >= MAX_COUNTED) return `${shown} oder mehr ${many}`;
  return `${shown} ${number === 1 ? one : many}`;
}

export const projects: Texts['projects'] = {
  title: 'Projekte',
  create: 'Neues Projekt',
  name: 'Name',
  platform: 'Plattform',
  platformHint: 'Ein Projekt ist für eine App auf einer Plattform. Das lässt sich später nicht ändern.',
  description: 'Beschreibung',
  emptyTitle: 'Noch keine Projekte',
  emptyText:
    'Legen Sie eine .apk- oder .ipa-Datei auf dieser Seite ab, um ein Projekt anzulegen und den Build auf seinem ersten Kanal freizugeben.',
  emptyReadOnly: 'Bitten Sie einen Admin um eine Einladung zu einem Projekt.',
  tabs: { channels: 'Kanäle', builds: 'Builds', settings: 'Einstellungen' },
  general: 'Allgemein',
  icon: 'Symbol',
  iconHint: 'Builds haben eigene Symbole.',
  screenshots: {
    title: 'Screenshots',
    hint: 'Installationsseiten zeigen sie in dieser Reihenfolge.',
    add: 'Screenshots hinzufügen',
    limits: (most, maxSize) => `Bis zu ${most}. PNG, JPEG oder WebP, je bis zu ${maxSize}.`,
    named: (number, count) => `Screenshot ${number} von ${count}`,
    moveLeft: (number) => `Screenshot ${number} nach links verschieben`,
    moveRight: (number) => `Screenshot ${number} nach rechts verschieben`,
    remove: (number) => `Screenshot ${number} löschen`,
  },
  bundleHint: 'Builds mit anderer Kennung werden markiert.',
  deleteSection: 'Löschen',
  deleteHint: 'Löscht das Projekt und alle seine Builds.',
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
  deleteAction: (builds) =>
    builds === 0 ? 'Projekt löschen' : `Projekt und ${count(builds, 'Build', 'Builds')} löschen`,
  deleted: (name) => `${name} gelöscht`,
};

export const builds: Texts['builds'] = {
  title: 'Builds',
  status: 'Status',
  statuses: { active: 'Aktiv', revoked: 'Widerrufen', all: 'Alle' },
  version: 'Version',
  size: 'Größe',
  notes: 'Versionshinweise',
  channels: 'Aktuell auf',
  uploaded: 'Hochgeladen',
  uploadedBy: 'Hochgeladen von',
  byToken: 'Zugriffstoken',
  byFormerMember: 'Ehemaliges Mitglied',
  count: (shown, hasMore) => `${hasMore ? 'Mehr als ' : ''}${count(shown, 'Build', 'Builds')}`,
  noSizeChange: 'unverändert',
  comparedWith: (build) => `Verglichen mit ${build}`,
  actions: 'Aktionen',
  actionsFor: (build) => `Aktionen für ${build}`,
  releaseNamed: (build) => `${build} freigeben`,
  downloadNamed: (build) => `${build} herunterladen`,
  revoked: 'Widerrufen',
  revokedText: 'Dieser Build lässt sich nicht mehr installieren. Widerrufen',
  unreadable: 'Nicht lesbar',
  emptyTitle: 'Noch keine Builds',
  emptyText: (ending) =>
    `Ziehen Sie eine ${ending}-Datei irgendwo auf diese Seite. Name und Version werden daraus gelesen.`,
  noneRevoked: 'Keine widerrufenen Builds',
  noneRevokedText: 'Widerrufene Builds bleiben in der Liste, lassen sich aber nicht installieren.',
  noNotes: 'Keine Versionshinweise. Teilen Sie Testern darin mit, was sich geändert hat.',
  editNotes: 'Versionshinweise bearbeiten',
  editLabels: 'Labels bearbeiten',
  labels: 'Labels',
  labelsHint: `Trennen Sie Labels mit Kommas. Höchstens ${MAX_LABELS} mit je bis zu ${MAX_LABEL_LENGTH} Zeichen.`,
  source: {
    title: 'Herkunft und Labels',
    column: 'Änderungen',
    branch: 'Branch',
    tag: 'Tag',
    commit: 'Commit',
    pullRequest: 'Pull Request',
    author: 'Autor',
    run: 'CI-Lauf',
    withLabel: (label) => `Builds mit dem Label ${label} anzeigen`,
  },
  filters: {
    title: 'Filter',
    open: 'Filtern',
    search: 'Builds suchen',
    order: 'Reihenfolge',
    orders: { uploaded_at: 'Neueste zuerst', version: 'Höchste Version zuerst' },
    fields: {
      text: 'Text',
      branch: 'Branch',
      commit: 'Commit',
      pr: 'Pull Request',
      label: 'Label',
      bundle: 'App-Kennung',
      uploader: 'Hochgeladen von',
      from: 'Von',
      until: 'Bis',
      installable: 'Installierbar',
    },
    installables: { yes: 'Auf einigen Geräten', no: 'Auf keinem Gerät oder unbekannt' },
    anyone: 'Allen',
    any: 'Alle',
    wrong: {
      commit: 'Geben Sie 4 bis 64 Stellen des Commits ein',
      pr: 'Geben Sie eine ganze Zahl ein',
      from: 'Geben Sie ein Datum ein',
      until: 'Geben Sie ein Datum ein',
    },
    wrongOther: 'Geben Sie einen kürzeren Text ein',
    apply: 'Anwenden',
    clear: 'Filter entfernen',
    remove: (field) => `Filter ${field} entfernen`,
    noneTitle: 'Keine passenden Builds',
    noneText: 'Entfernen Sie einen Filter, um mehr zu finden.',
  },
  bulk: {
    title: 'Ausgewählte Builds',
    select: (build) => `${build} auswählen`,
    selectAll: 'Alle Builds auswählen',
    selectFirst: (most) => `Die ersten ${most} Builds auswählen`,
    selected: (selected, most) => (selected >= most ? `${most} ausgewählt, das Maximum` : `${selected} ausgewählt`),
    clear: 'Auswahl aufheben',
    actions: { release: 'Freigeben', label: 'Labels', revoke: 'Widerrufen', delete: 'Löschen' },
    titles: {
      release: (builds) => `${count(builds, 'Build', 'Builds')} freigeben`,
      label: (builds) => `Labels von ${count(builds, 'Build', 'Builds')}`,
      revoke: (builds) => `${count(builds, 'Build', 'Builds')} widerrufen?`,
      delete: (builds) => `${count(builds, 'Build', 'Builds')} löschen?`,
    },
    buttons: {
      release: (builds) => `${count(builds, 'Build', 'Builds')} freigeben`,
      label: () => 'Speichern',
      revoke: (builds) => `${count(builds, 'Build', 'Builds')} widerrufen`,
      delete: (builds) => `${count(builds, 'Build', 'Builds')} endgültig löschen`,
    },
    done: {
      release: (builds) => `${count(builds, 'Build', 'Builds')} freigegeben`,
      label: (builds) => `Labels von ${count(builds, 'Build', 'Builds')} geändert`,
      revoke: (builds) => `${count(builds, 'Build', 'Builds')} widerrufen`,
      delete: (builds) => `${count(builds, 'Build', 'Builds')} gelöscht`,
    },
    leftOut: {
      release: (builds) =>
        `${count(builds, 'ausgewählter Build ist', 'ausgewählte Builds sind')} widerrufen oder auf keinem Gerät installierbar und ${builds === 1 ? 'wird' : 'werden'} nicht freigegeben.`,
      revoke: (builds) => `${count(builds, 'ausgewählter Build ist', 'ausgewählte Builds sind')} schon widerrufen.`,
    },
    releaseEffect: (builds, newest, channel) =>
      builds === 1
        ? `${newest} wird die aktuelle Freigabe von ${channel}.`
        : `Die Builds werden vom ältesten zum neuesten auf ${channel} freigegeben, jeder mit seinen eigenen Hinweisen. ${newest} wird die aktuelle Freigabe. Tester werden über jeden benachrichtigt.`,
    revokeEffect: (builds, live) => {
      const channels =
        live.length === 0
          ? `${builds === 1 ? 'Er ist' : 'Sie sind'} auf keinem Kanal aktuell.`
          : `${live.join(', ')} ${live.length === 1 ? 'kehrt' : 'kehren'} zur vorherigen Freigabe zurück.`;
      return `Niemand kann ${builds === 1 ? 'ihn' : 'sie'} mehr installieren. ${channels} Das lässt sich nicht rückgängig machen. Widerrufene Builds bleiben in der Liste.`;
    },
    deleteEffect: (builds, live) => {
      const channels =
        live.length === 0
          ? ''
          : ` ${live.join(', ')} ${live.length === 1 ? 'verliert' : 'verlieren'} die aktuelle Freigabe.`;
      return `${builds === 1 ? 'Das Paket wird' : `${builds.toLocaleString('de')} Pakete werden`} mit allen Freigaben endgültig gelöscht.${channels}`;
    },
    addLabels: 'Labels hinzufügen',
    addLabelsHint: 'Trennen Sie Labels mit Kommas.',
    removeLabels: 'Labels entfernen',
    progress: (finished, builds) => `${finished} von ${count(builds, 'Build', 'Builds')}`,
    failed: (builds) =>
      `${count(builds, 'Build konnte', 'Builds konnten')} nicht geändert werden. Alle anderen wurden geändert.`,
    andMore: (names, more) => `${names} und ${more} weitere`,
  },
  download: 'Herunterladen',
  route: {
    title: 'Kanäle',
    live: 'Aktuell',
    released: 'Freigegeben',
    rolledBack: 'Zurückgerollt, freigegeben',
    otherLive: (build) => `${build} ist aktuell`,
    nothingLive: 'Nichts ist aktuell',
    promoteTo: (channel) => `An ${channel} weitergeben`,
    all: (channels) => `Alle ${channels} Kanäle`,
  },
  details: 'Details',
  bundleIdentifier: 'App-Kennung',
  file: 'Datei',
  sha256: 'SHA-256',
  id: 'Build-ID',
  pin: 'Anheften',
  pinNamed: (build) => `${build} anheften`,
  unpin: 'Lösen',
  pinned: 'Angeheftet',
  pinTitle: (build) => `${build} anheften?`,
  unpinTitle: (build) => `${build} lösen?`,
  pinEffect: 'Die Aufbewahrung löscht einen angehefteten Build nie. Personen können es weiterhin.',
  unpinEffect: 'Wenn ihn sonst nichts behält, wird der Build angekündigt und eine Woche später gelöscht.',
  leaving: {
    title: (builds, hasMore) =>
      builds === 1 && !hasMore
        ? '1 Build wird innerhalb einer Woche gelöscht'
        : `${hasMore ? 'Mehr als ' : ''}${builds} Builds werden innerhalb einer Woche gelöscht`,
    text: 'Weder der Tarif noch die Regeln der Kanäle bewahren sie auf. Angeheftete Builds bleiben.',
    show: 'Anzeigen',
    from: (day, reason) =>
      reason === 'plan' ? `ab ${day}, wegen des Tarifs` : `ab ${day}, wegen der Regeln der Kanäle`,
  },
  revoke: 'Widerrufen',
  revokeTitle: (name) => `${name} widerrufen?`,
  revokeEffect: (channels) => {
    const rolledBack =
      channels === undefined
        ? 'Kanäle, auf denen er aktuell ist, kehren zur vorherigen Freigabe zurück.'
        : channels.length === 0
          ? 'Er ist auf keinem Kanal aktuell.'
          : `${channels.join(', ')} ${channels.length === 1 ? 'kehrt' : 'kehren'} zur vorherigen Freigabe zurück.`;
    return `Niemand kann ihn mehr installieren. ${rolledBack} Das lässt sich nicht rückgängig machen. Der Build bleibt in der Liste.`;
  },
  delete: 'Endgültig löschen',
  deleteTitle: (name) => `${name} löschen?`,
  deleteEffect: 'Das Paket und seine Freigaben werden endgültig gelöscht.',
  deleted: (name) => `${name} gelöscht`,
  inspection: {
    unreadable: 'Dieses Paket ist nicht lesbar',
    unreadableText: 'Sie können es freigeben, aber es ist nicht bekannt, ob es sich installieren lässt.',
    mismatch: 'Paket weicht ab',
    mismatchText: (field, declared, found) => `${field}: ${found} im Paket, erwartet ${declared}.`,
    mismatchFields: {
      bundle_identifier: 'App-Kennung',
      version_name: 'Version',
      build_number: 'Build-Nummer',
      project_bundle_identifier: 'App-Kennung des Projekts',
    },
    application: 'Name',
    minimumOs: 'Mindestversion',
    devices: 'Geräte',
    families: {
      iphone: 'iPhone',
      ipad: 'iPad',
      'apple-tv': 'Apple TV',
      'apple-watch': 'Apple Watch',
      vision: 'Apple Vision',
    },
    processors: 'Prozessoren',
    debuggable: 'Debugfähig',
    debuggableHint: 'Mit einem Kabel lassen sich die Daten der App lesen.',
    permissions: 'Berechtigungen',
    entitlements: 'Entitlements',
    profileAndCertificate: 'Profil und Zertifikat',
    signature: 'Signatur',
    signing: 'Signatur',
    kinds: {
      development: 'Entwicklung',
      'ad-hoc': 'Ad hoc',
      enterprise: 'Unternehmensintern',
      'app-store': 'App Store: lässt sich nicht drahtlos installieren',
    },
    team: 'Team',
    profile: 'Bereitstellungsprofil',
    expires: 'Läuft ab',
    expiresAt: 'Läuft {time} ab',
    provisioned: 'Zugelassene Geräte',
    allDevices: 'alle',
    deviceCount: (count) => (count === 1 ? '1 Gerät' : `${count} Geräte`),
    certificateExpires: 'Zertifikat läuft ab',
    schemes: 'Verfahren',
    verified: 'Geprüft',
    notVerified: 'Signaturprüfung fehlgeschlagen: Android lehnt das Paket ab',
    certificate: 'Zertifikat',
  },
};

export const channels: Texts['channels'] = {
  title: 'Kanäle',
  create: 'Neuer Kanal',
  name: 'Name',
  description: 'Beschreibung',
  slug: 'Kurzadresse',
  slugHint:
    'Buchstaben von a bis z, Ziffern und Bindestriche. Auf diesem Server eindeutig; die frühere Adresse leitet ein Jahr lang weiter.',
  keepLast: 'Freigaben behalten',
  keepDays: 'Tage behalten',
  keepHint:
    'Ein Build bleibt, solange eine der beiden Regeln oder ein anderer Kanal ihn behält. Aktuelle und angeheftete Builds bleiben immer. Andere werden eine Woche nach einer E-Mail gelöscht. Leer: Der Kanal behält alle Builds.',
  publicSwitch: 'Öffentlich',
  publicHint: 'Alle mit dem Link können ohne Anmeldung installieren.',
  registrationSwitch: 'Alle können iPhones registrieren',
  registrationHint:
    'Alle mit dem Link können ihr iPhone registrieren und auf einen Build warten, höchstens 100 gleichzeitig. Ein Telefon zählt erst dann zu Ihren 100 Geräten bei Apple, wenn Sie es dort registrieren.',
  autoSwitch: 'Jeden Upload freigeben',
  autoHint: 'Jeder neue Build wird automatisch auf diesem Kanal freigegeben.',
  notifySwitch: 'Tester per E-Mail benachrichtigen',
  notifyHint: {
    mailed: 'Eine E-Mail für jede neue Freigabe.',
    unmailed: 'Dieser Server verschickt keine E-Mails. Die Auswahl gilt, sobald er es tut.',
  },
  emptyTitle: 'Noch keine Kanäle',
  emptyText:
    'Tester folgen einem Kanal wie „beta“ oder „nightly“. Geben Sie Builds darauf frei und teilen Sie den Link.',
  isPublic: 'Öffentlich',
  isPrivate: 'Privat',
  isAutomatic: 'Erhält jeden Upload',
  mandatory: 'Pflicht',
  nothingReleased: 'Noch keine Freigaben',
  nothingReleasedText: 'Geben Sie einen Build auf diesem Kanal frei, oder ziehen Sie ein Paket hierher.',
  qr: 'QR-Code',
  qrLabel: (channel) => `QR-Code der Installationsseite von ${channel}`,
  qrHint: 'Scannen Sie ihn mit einem Telefon, oder senden Sie den Link.',
  publicLink: 'Installationslink',
  whoAnyone: 'Alle mit dem Link können ohne Konto installieren.',
  whoTesters: 'Tester melden sich über diesen Link an und installieren. Andere können um Zugriff bitten.',
  open: 'Öffnen',
  makePublic: 'Kanal öffentlich machen',
  openLink: 'Installationsseite öffnen',
  print: 'Drucken',
  release: 'Freigeben',
  releaseBuild: 'Build freigeben',
  releaseOnto: (channel) => `Auf ${channel} freigeben`,
  channelField: 'Kanal',
  buildField: 'Build',
  noOtherChannel: 'Es gibt keinen anderen Kanal. Legen Sie zuerst einen an.',
  releaseNotes: 'Was sich geändert hat',
  releaseNotesHint: 'Wird Testern vor der Installation angezeigt. Markdown: Listen, **fett**, Links.',
  mandatorySwitch: 'Pflicht',
  mandatoryHint: 'In Apps mit In-App-Updates können Tester dieses Update nicht überspringen.',
  current: 'Aktuelle Freigabe',
  currentChip: 'Aktuell',
  showDevices: 'Geräte anzeigen',
  who: {
    released: (name) => `Freigegeben von ${name}`,
    promoted: (name, from) => `Von ${name} aus ${from} weitergegeben`,
    automatic: 'Automatisch freigegeben',
    unknown: 'gelöschtem Konto oder Token',
  },
  promote: 'Weitergeben',
  promoteTo: (channel) => `An ${channel} weitergeben`,
  promoteTitle: (build) => `${build} weitergeben`,
  rollBack: 'Zurückrollen',
  noEarlierRelease: 'Es gibt keine frühere Freigabe.',
  rollBackTitle: (channel) => `${channel} zurückrollen?`,
  rollBackTo: (build) => `Auf ${build} zurückrollen`,
  rollBackEffect: (testers, downloads, from, to) => {
    const have =
      testers === undefined || downloads === undefined
        ? ''
        : downloads === 0
          ? ' Noch niemand hat sie installiert.'
          : ` ${testers === 1 ? '1 Tester hat' : `${testers} Tester haben`} sie, bei ${downloads === 1 ? '1 Download' : `${downloads} Downloads`} insgesamt.`;
    return `Der Kanal kehrt von ${from} zu ${to} zurück.${have} ${from} bleibt zurückgerollt, bis Sie einen neueren Build freigeben.`;
  },
  rollBackBetween: (builds) =>
    `${builds.length === 1 ? 'Zurückgerollt wird auch' : `Zurückgerollt werden auch ${builds.length} Freigaben dazwischen:`} ${builds.join(', ')}.`,
  rollBackToThis: 'Hierauf zurückrollen',
  rollBackNamed: (build) => `Hierauf zurückrollen: ${build}`,
  rolledBack: (build) => `${build} ist wieder aktuell`,
  disable: 'Deaktivieren',
  enable: 'Aktivieren',
  disabled: (build) => `${build} deaktiviert`,
  disableTitle: (build) => `${build} deaktivieren?`,
  disableEffect: (to) => `Auf dem Kanal ist ${to} aktuell, bis Sie diese Freigabe wieder aktivieren.`,
  disableOnlyEffect: 'Auf dem Kanal ist nichts verfügbar, bis Sie diese Freigabe wieder aktivieren.',
  aside: 'Installationslink, Verbreitung und Tester',
  history: 'Verlauf',
  states: { disabled: 'Deaktiviert', rolled_back: 'Zurückgerollt' },
  got: (testers, downloads, isCurrent) => {
    if (downloads === 0) return isCurrent ? 'noch niemand hat sie' : 'niemand hatte sie';
    if (testers === 0) return downloads === 1 ? '1 Download' : `${downloads} Downloads`;
    const have = isCurrent ? (testers === 1 ? 'hat' : 'haben') : testers === 1 ? 'hatte' : 'hatten';
    return `${testers} Tester ${have} sie`;
  },
  showOlder: 'Ältere anzeigen',
  buildRevoked: 'Build widerrufen',
  delete: 'Kanal löschen',
  deleteTitle: (name) => `${name} löschen?`,
  deleteEffect:
    'Auch Freigaben, Links und Tester werden gelöscht. Builds bleiben. Das lässt sich nicht rückgängig machen.',
  deleted: (name) => `${name} gelöscht`,
  card: {
    testers: (count) => (count === 1 ? '1 Tester' : `${count} Tester`),
    adoption: (have, all) => `${have} von ${all} Testern haben sie`,
    adoptionLabel: 'Tester, die die aktuelle Freigabe haben',
    noTesters: 'Keine Tester',
    downloads: (count) => (count === 1 ? '1 Download' : `${count} Downloads`),
  },
  usage: {
    title: 'Verbreitung',
    analytics: 'Statistik',
    analyticsOf: (channel) => `Statistik von ${channel}`,
    testersHave: (all, version) => `von ${all === 1 ? '1 Tester' : `${all} Testern`} haben ${version}`,
    testersHaveWhole: (have, all, version) =>
      `${have} von ${all === 1 ? '1 Tester' : `${all} Testern`} haben ${version}`,
    have: 'haben sie',
    can: 'können installieren',
    notYet: 'noch nicht',
    cannot: 'können nicht installieren',
    appsRun: (running, all, version) =>
      `${version} läuft in ${running} von ${all === 1 ? '1 App' : `${all} Apps`} mit In-App-Updates`,
    nobodyDownloaded: (version) => `Noch niemand hat ${version} heruntergeladen.`,
    downloads: (count, version) => `${count === 1 ? '1 Download' : `${count} Downloads`} von ${version}`,
    last: 'zuletzt',
    inDays: (downloads, days) => `${downloads === 1 ? '1 Download' : `${downloads} Downloads`} in ${days} Tagen`,
    onDay: (downloads, day) => `${day}: ${downloads === 1 ? '1 Download' : `${downloads} Downloads`}`,
    today: 'Heute',
    sinceRelease: (version) => `seit ${version}`,
    beforeRelease: 'davor',
    downloadsOnly: 'Downloads',
    currentDownloads: 'Downloads der aktuellen Freigabe',
    currentTesters: 'Tester, die die aktuelle Freigabe heruntergeladen haben',
    totalDownloads: 'Downloads insgesamt',
    totalTesters: 'Tester mit mindestens einem Download',
  },
};

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
  choose: 'Build hochladen',
  dropAnywhere: 'Zum Hochladen ablegen',
  dropToCreate: 'Ablegen, um ein Projekt anzulegen',
  choosePackage: 'Paket auswählen',
  publicSwitch: 'Jeder mit dem Link kann installieren',
  publicHint: 'Wer den Link des Kanals hat, installiert ohne Konto.',
  privateHint: 'Tester melden sich zum Installieren an. Andere können um Zugriff bitten.',
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
    too_large: () => 'Diese Datei überschreitet das Größenlimit des Servers.',
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
