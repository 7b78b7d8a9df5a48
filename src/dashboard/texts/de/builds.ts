// Texts about builds, in German.
import { MAX_LABEL_LENGTH, MAX_LABELS } from '../../../builds/label-limits.ts';
import { MAX_COUNTED } from '../../../projects/contents-limit.ts';
import type { Texts } from '../en.ts';

// Not shared by the catalogs, because a first visit would load one more file.
function count(number: number, one: string, many: string): string {
  const shown = number.toLocaleString('de');
  if (number >= MAX_COUNTED) return `${shown} oder mehr ${many}`;
  return `${shown} ${number === 1 ? one : many}`;
}

/** What happens on channels where a build that goes away is live. */
function returning(channels: readonly string[]): string {
  return `${channels.join(', ')} ${channels.length === 1 ? 'kehrt' : 'kehren'} zur vorherigen Freigabe zurück, falls es eine gibt.`;
}

/** Said while it isn't known on which channels they are live. */
function returningUnknown(builds: number): string {
  return `Kanäle, auf denen ${builds === 1 ? 'er aktuell ist' : 'sie aktuell sind'}, kehren zur vorherigen Freigabe zurück, falls es eine gibt.`;
}

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
    nothingYet: 'Noch kein Treffer',
    searchedTo: (day) => `Builds bis zurück zum ${day} durchsucht.`,
    searchedSome: 'Es sind noch nicht alle Builds durchsucht.',
    searchFurther: 'Weitersuchen',
    stopSearch: 'Anhalten',
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
        live === undefined
          ? returningUnknown(builds)
          : live.length === 0
            ? `${builds === 1 ? 'Er ist' : 'Sie sind'} auf keinem Kanal aktuell.`
            : returning(live);
      return `Niemand kann ${builds === 1 ? 'ihn' : 'sie'} mehr installieren. ${channels} Das lässt sich nicht rückgängig machen. Widerrufene Builds bleiben in der Liste.`;
    },
    deleteEffect: (builds, live) => {
      const channels =
        live === undefined ? ` ${returningUnknown(builds)}` : live.length === 0 ? '' : ` ${returning(live)}`;
      return `${builds === 1 ? 'Das Paket wird' : `${builds.toLocaleString('de')} Pakete werden`} mit allen Freigaben endgültig gelöscht.${channels}`;
    },
    addLabels: 'Labels hinzufügen',
    addLabelsHint: 'Trennen Sie Labels mit Kommas.',
    removeLabels: 'Labels entfernen',
    progress: (finished, builds) => `${finished} von ${count(builds, 'Build', 'Builds')}`,
    failed: (builds, changed) =>
      `${count(builds, 'Build konnte', 'Builds konnten')} nicht geändert werden.${changed === 0 ? '' : ' Alle anderen wurden geändert.'}`,
    andMore: (names, more) => `${names} und ${more === 1 ? '1 weiterer' : `${more} weitere`}`,
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
        ? returningUnknown(1)
        : channels.length === 0
          ? 'Er ist auf keinem Kanal aktuell.'
          : returning(channels);
    return `Niemand kann ihn mehr installieren. ${rolledBack} Das lässt sich nicht rückgängig machen. Der Build bleibt in der Liste.`;
  },
  delete: 'Endgültig löschen',
  deleteTitle: (name) => `${name} löschen?`,
  deleteEffect: (channels) => {
    const live =
      channels === undefined ? ` ${returningUnknown(1)}` : channels.length === 0 ? '' : ` ${returning(channels)}`;
    return `Das Paket und seine Freigaben werden endgültig gelöscht.${live}`;
  },
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
