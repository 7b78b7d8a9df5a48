// Texts about store connections, devices registered with Apple, and publishing, in German.

import type { Texts } from '../en.ts';

const classes: Record<string, string> = {
  IPHONE: 'iPhones',
  IPAD: 'iPads',
  IPOD: 'iPods',
  APPLE_WATCH: 'Apple Watches',
  APPLE_TV: 'Apple TVs',
  APPLE_VISION_PRO: 'Apple Vision Pros',
  MAC: 'Macs',
};

const classOf = (name: string) => classes[name] ?? name;

const failures: Texts['stores']['failures'] = {
  credentials_refused: {
    title: 'Der Store akzeptiert den Schlüssel nicht',
    text: 'Der Schlüssel ist unbekannt, widerrufen oder gehört zu einem anderen Konto. Erstellen Sie einen neuen und geben Sie ihn hier ein.',
  },
  permission_missing: {
    title: 'Dem Schlüssel fehlt das nötige Recht',
    text: 'Erteilen Sie ihm das Recht im Store, oder geben Sie einen Schlüssel ein, der es hat.',
  },
  agreement_missing: {
    title: 'Eine Vereinbarung muss zuerst akzeptiert werden',
    text: 'Der Accountinhaber akzeptiert sie auf Apples Website. Prüfen Sie danach erneut.',
  },
  api_disabled: {
    title: 'Die Google Play Android Developer API ist deaktiviert',
    text: 'Aktivieren Sie sie im Google-Cloud-Projekt des Dienstkontos. Prüfen Sie danach erneut.',
  },
  package_unknown: {
    title: 'Google Play kennt in diesem Konto keine App mit diesem Paketnamen',
    text: 'Korrigieren Sie den Paketnamen, oder laden Sie die erste Version der App in der Play Console hoch.',
  },
};

/** The sentences of the server about a refused device. A code of the store can follow in parentheses. */
const refusals: readonly [RegExp, (...values: string[]) => string][] = [
  [/^Apple doesn't accept the identifier of this device$/, () => 'Apple akzeptiert die Kennung dieses Geräts nicht'],
  [
    /^The Apple developer account has no place left for this class of devices \((.+)\)$/,
    (name) => `Im Apple-Entwicklerkonto ist kein Platz für diese Geräteklasse frei (${placesOf(name)})`,
  ],
  [
    /^The Apple developer account no longer has this device$/,
    () => 'Das Gerät ist nicht mehr im Apple-Entwicklerkonto',
  ],
  [
    /^The connection has been changed to another Apple developer account$/,
    () => 'Die Verbindung wurde auf ein anderes Apple-Entwicklerkonto umgestellt',
  ],
  [
    /^Not registered automatically: (\d+) places for (.+) are left, and (\d+) are reserved$/,
    (left, name, reserve) =>
      `Nicht automatisch registriert: ${left} Plätze für ${placesOf(name ?? '')} sind frei, und ${reserve} sind reserviert`,
  ],
  [/^The provider doesn't accept the credentials:/, () => failures.credentials_refused.title],
  [/^The key doesn't have the required permission/, () => failures.permission_missing.title],
  [/^An agreement in the provider's account must be accepted first/, () => failures.agreement_missing.title],
  [/^The app store doesn't respond/, () => 'Der Store antwortet nicht'],
];

const placesOf = (name = '') => (name === 'devices of an unknown class' ? 'Geräte unbekannter Klasse' : classOf(name));

function translateRefusal(message: string): string {
  for (const [pattern, translate] of refusals) {
    const found = pattern.exec(message);
    if (found !== null) return translate(...found.slice(1));
  }
  return message;
}

export const stores: Texts['stores'] = {
  title: 'Stores',
  hint: 'Ihre Konten bei App Store Connect und Google Play.',
  list: 'Store-Verbindungen',
  add: 'Verbindung hinzufügen',
  addTitle: 'Store-Verbindung hinzufügen',
  editTitle: (name) => `${name} bearbeiten`,
  emptyTitle: 'Noch keine Store-Verbindungen',
  emptyText: 'Verbinden Sie App Store Connect, um Geräte bei Apple zu registrieren, oder Google Play.',
  guide: 'So erstellen Sie einen Schlüssel',
  provider: 'Store',
  providers: { app_store_connect: 'App Store Connect', google_play: 'Google Play' },
  statuses: { valid: 'Gültig', invalid: 'Handlung nötig' },
  keyId: 'Schlüssel-ID',
  keyIdHint: '10 Buchstaben und Ziffern, in App Store Connect neben dem Schlüssel.',
  issuerId: 'Aussteller-ID',
  issuerIdHint: 'Steht über der Liste der Teamschlüssel. Bei einem individuellen Schlüssel leer lassen.',
  teamKey: 'Teamschlüssel',
  individualKey: 'individueller Schlüssel',
  privateKey: 'Privater Schlüssel (.p8)',
  serviceAccount: 'Schlüssel des Dienstkontos (JSON)',
  accountField: (field) => `Das ist kein Schlüssel eines Dienstkontos: „${field}“ fehlt oder ist ungültig`,
  chooseFile: 'Datei auswählen',
  pasteHint:
    'Wählen Sie die Datei aus oder fügen Sie ihren Inhalt ein. Er wird verschlüsselt gespeichert und nicht mehr angezeigt.',
  keepHint: 'Leer lassen, um den bisherigen zu behalten.',
  tooLarge: 'Diese Datei ist zu groß für einen Schlüssel.',
  packageName: 'Paketname',
  packageHint: 'Zum Beispiel com.example.app. Damit wird auch das Recht geprüft, diese App freizugeben.',
  connect: 'Prüfen und hinzufügen',
  connected: (name) => `${name} hinzugefügt`,
  created: 'Hinzugefügt',
  createdBy: (name) => `von ${name}`,
  proved: {
    account: 'Zugriff auf das Konto geprüft {time}',
    package: 'Recht für das Paket geprüft {time}',
    token: 'Schlüssel geprüft {time}. Ohne Paketnamen werden keine Rechte geprüft.',
  },
  rejected: 'Abgelehnt {time}',
  providerCode: (code) => `Code: ${code}`,
  validate: 'Jetzt prüfen',
  validateOf: (name) => `Jetzt prüfen: ${name}`,
  validated: (name) => `${name} ist gültig`,
  edit: 'Bearbeiten',
  menu: (name) => `Aktionen für ${name}`,
  copyId: 'ID kopieren',
  remove: 'Verbindung löschen',
  removeTitle: (name) => `Die Verbindung ${name} löschen?`,
  removeEffect: {
    app_store_connect:
      'Geräte bleiben bei Apple registriert, aber ihr Status wird hier nicht mehr angezeigt. Veröffentlichungen behalten den Namen der Verbindung. Der Schlüssel gilt, bis Sie ihn in App Store Connect widerrufen.',
    google_play:
      'Veröffentlichungen behalten den Namen der Verbindung. Der Schlüssel gilt, bis Sie ihn in der Google-Cloud-Konsole löschen.',
  },
  removed: (name) => `Verbindung ${name} gelöscht`,
  failures,
  unavailable: { title: 'Der Store antwortet nicht', text: 'Es wurde nichts geändert.' },
  identifierRefused: {
    title: 'Apple akzeptiert die Kennung dieses Geräts nicht',
    text: 'Vergleichen Sie sie mit der Kennung auf dem Gerät.',
  },
  classFull: (deviceClass, limit) => ({
    title: `Kein Platz frei: alle ${limit} Plätze für ${classOf(deviceClass)} sind belegt`,
    text: 'Plätze werden frei, wenn Ihre Mitgliedschaft verlängert wird und Sie Geräte entfernen.',
  }),
  quota: {
    title: 'Bei Apple registrierte Geräte',
    line: (deviceClass, used, limit, left) =>
      `${used} von ${limit} ${classOf(deviceClass)}, ${left} frei in diesem Mitgliedschaftsjahr`,
    unused: (names, limit) => `Noch nicht belegt, je ${limit}: ${names.map(classOf).join(', ')}`,
    warning: (left) => (left === 0 ? 'Keine Plätze frei' : `Nur ${left} frei`),
    checked: 'Von Apple gelesen {time}',
    refresh: 'Aktualisieren',
    refreshHint: 'Apple wird höchstens alle 10 Minuten gefragt.',
    hint: 'Deaktivierte Geräte behalten ihren Platz, bis die Mitgliedschaft verlängert wird.',
  },
  devices: {
    column: 'Apple',
    connection: 'Konto',
    filter: 'Status bei Apple',
    all: 'Jeder Status',
    states: {
      registered: 'Registriert',
      processing: 'In Bearbeitung',
      disabled: 'Deaktiviert',
      refused: 'Abgelehnt',
      none: 'Nicht registriert',
    },
    hints: {
      registered: 'Provisioning-Profile können es enthalten.',
      processing: 'Apple braucht bis zu drei Tage. Der Status wird jede Stunde geprüft.',
      disabled: 'Es belegt einen Platz und läuft in keinem Profil, bis es auf Apples Website aktiviert wird.',
      refused: '',
      none: '',
    },
    select: (name) => `${name} auswählen`,
    selectAll: 'Alle angezeigten Geräte auswählen',
    selected: (count) => (count === 1 ? '1 Gerät ausgewählt' : `${count} Geräte ausgewählt`),
    register: 'Bei Apple registrieren',
    registerTitle: (count, name) =>
      count === 1 ? `${name} bei Apple registrieren?` : `${count} Geräte bei Apple registrieren?`,
    effect: (count) =>
      count === 1
        ? 'Es belegt bis zu ein Jahr lang einen Platz seiner Klasse: bis Ihre Mitgliedschaft verlängert wird, auch wenn Sie es deaktivieren.'
        : 'Jedes belegt bis zu ein Jahr lang einen Platz seiner Klasse: bis Ihre Mitgliedschaft verlängert wird, auch wenn Sie es deaktivieren.',
    alreadyRegistered: (count) =>
      count === 1
        ? '1 ausgewähltes Gerät ist bereits registriert.'
        : `${count} ausgewählte Geräte sind bereits registriert.`,
    left: (deviceClass, left, limit) => `${left} von ${limit} Plätzen für ${classOf(deviceClass)} sind frei.`,
    notEnough: 'Es sind mehr Geräte ausgewählt, als Plätze frei sind.',
    registered: (name) => `${name} bei Apple registriert`,
    show: 'Details anzeigen',
    refusal: translateRefusal,
    details: 'Status bei Apple',
    checked: 'Geprüft {time}',
    refresh: 'Status von Apple lesen',
    refreshed: (name, state) => `${name}: ${state}`,
    groups: {
      apple_registered: 'Registriert, warten auf einen Build',
      apple_processing: 'Bei Apple in Bearbeitung',
      apple_disabled: 'Bei Apple deaktiviert',
      apple_missing: 'Nicht bei Apple registriert',
    },
    steps: {
      apple_registered: (count) =>
        `Nehmen Sie ${count === 1 ? 'dieses Gerät' : `diese ${count} Geräte`} ins Profil auf und bauen Sie neu.`,
      apple_processing: () => 'Apple braucht bis zu drei Tage. Der Status wird jede Stunde geprüft.',
      apple_disabled: () => 'Aktivieren Sie sie auf Apples Website.',
      apple_missing: (count) =>
        `Registrieren Sie ${count === 1 ? 'es' : 'sie'} bei Apple, nehmen Sie ${count === 1 ? 'es' : 'sie'} ins Profil auf und bauen Sie neu.`,
    },
  },
  automatic: {
    title: 'Neue Geräte automatisch registrieren',
    titleOf: (name) => `Neue Geräte automatisch registrieren: ${name}`,
    hint: (reserve) =>
      `Geräte werden bei Apple registriert, sobald sie sich hier registrieren, bis nur noch ${reserve === 1 ? '1 Platz' : `${reserve} Plätze`} ihrer Klasse frei ${reserve === 1 ? 'ist' : 'sind'}.`,
    reserve: 'Freizuhaltende Plätze je Klasse',
    registerAll: 'Alle Geräte registrieren',
    registerAllTitle: 'Alle Geräte der Organisation bei Apple registrieren?',
    registerAllHint: 'Diejenigen der Organisation, die Apple noch nicht hat.',
    queued: (count) =>
      count === 0
        ? 'Alle Geräte sind bereits registriert'
        : count === 1
          ? '1 Gerät wird registriert'
          : `${count} Geräte werden registriert`,
    pending: (count) =>
      count === 1 ? '1 Gerät wird bei Apple registriert …' : `${count} Geräte werden bei Apple registriert …`,
  },
  profiles: {
    title: 'Provisioning-Profile',
    show: 'Provisioning-Profile anzeigen',
    name: 'Name',
    devices: 'Geräte',
    expires: 'Läuft ab',
    builds: 'Aktuelle Builds',
    types: { ad_hoc: 'Ad hoc', development: 'Entwicklung' },
    expired: 'Abgelaufen',
    invalid: 'Ungültig',
    invalidHint: 'Bearbeiten und speichern Sie es auf Apples Website.',
    none: 'Das Team hat keine Ad-hoc- oder Entwicklungsprofile.',
    noBuilds: 'Keine',
    same: 'Hat diese Version des Profils',
    changed: (count) =>
      count === 0
        ? 'Das Profil wurde geändert, seit der Build erstellt wurde'
        : `Das Profil wurde geändert, seit der Build erstellt wurde: ein neuer Build nimmt ${count === 1 ? '1 Gerät' : `${count} Geräte`} auf`,
  },
  rebuilds: {
    list: 'Neu zu bauende Builds',
    title: (count) => (count === 1 ? 'Neu bauen, um 1 Gerät aufzunehmen' : `Neu bauen, um ${count} Geräte aufzunehmen`),
    text: (count, devices, profile) =>
      `Bei Apple registriert: ${devices}. Nehmen Sie ${count === 1 ? 'es' : 'sie'} in das Profil${profile === null ? '' : ` ${profile}`} auf und bauen Sie neu.`,
  },
  publish: {
    title: 'Veröffentlichung im Store',
    action: 'Im Store veröffentlichen',
    actionTitle: (build) => `${build} in einem Store veröffentlichen`,
    connection: 'Verbindung',
    connectionId: 'ID der Verbindung',
    connectionIdHint: 'Manager der Organisation finden sie auf der Seite Stores.',
    noConnection: (store) => `Fügen Sie zuerst eine Verbindung zu ${store} hinzu.`,
    track: 'Track',
    trackHint: 'Zum Beispiel internal oder beta.',
    notOperational:
      'Die Veröffentlichung in App-Stores ist nicht in Betrieb: Der Auftrag schlägt fehl, und nichts wird an den Store gesendet.',
    requested: 'Veröffentlichung angefordert',
    states: { created: 'Wartet', running: 'Läuft', failed: 'Fehlgeschlagen' },
    failures: {
      publishing_not_operational:
        'Die Veröffentlichung in App-Stores ist nicht in Betrieb. Nichts wurde an den Store gesendet. Das sagt nichts über den Build oder die Zugangsdaten.',
    },
    by: (name) => `von ${name}`,
  },
};
