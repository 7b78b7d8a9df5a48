// Texts about devices, in German.

import { ENROLLMENT_LIFETIME_MS, germanLifetime } from '../../../lib/lifetimes.ts';
import { toSentences } from '../en/verdicts.ts';
import type { Texts } from '../en.ts';
import { verdictReasons, verdicts } from './verdicts.ts';

const reasons = toSentences(verdictReasons);

export const devices: Texts['devices'] = {
  title: 'Geräte',
  hint: 'iPhones und iPads, für die Sie Builds signieren.',
  add: 'Gerät registrieren',
  enterManually: 'Manuell eingeben',
  export: 'Für Apple exportieren',
  exportHint: 'Eine Datei für Apples Seite „Register multiple devices“.',
  emptyTitle: 'Noch keine Geräte',
  emptyText: 'Zeigen Sie einem iPhone oder iPad einen QR-Code, und es registriert sich selbst.',
  name: 'Name',
  model: 'Modell',
  owner: 'Besitzer',
  udid: 'Kennung (UDID)',
  udidShort: 'Kennung',
  udidHint: '40 hexadezimale Ziffern, oder 8 Ziffern, ein Bindestrich und 16 Ziffern.',
  registered: 'Registriert',
  osBuild: (build) => `Build ${build}`,
  enteredManually: 'Manuell eingegeben',
  unknownModel: 'Modell bis zur Registrierung unbekannt',
  noOwner: 'Niemand',
  unknownOwner: 'Ein Tester',
  search: 'Geräte durchsuchen',
  searching: 'Alle Geräte werden durchsucht …',
  noMatches: 'Keine passenden Geräte.',
  menu: (name) => `Aktionen für ${name}`,
  edit: 'Name oder Besitzer bearbeiten',
  editTitle: (name) => `${name} bearbeiten`,
  copyUdid: (name) => `Kennung von ${name}`,
  removeTitle: (name) => `${name} entfernen?`,
  removeEffect: 'Bei Apple bleibt es registriert, und Builds, deren Profil es enthält, laufen weiter darauf.',
  removed: (name) => `${name} entfernt`,
  added: (name) => `${name} hinzugefügt`,
  enroll: {
    title: 'Gerät registrieren',
    name: 'Gerätename',
    nameHint: 'Ohne Angabe: Name des Besitzers und Modell.',
    owner: 'Besitzer',
    showQrCode: 'QR-Code anzeigen',
    qrLabel: 'QR-Code des Registrierungslinks',
    scan: `Scannen Sie ihn mit dem iPhone oder iPad und folgen Sie den Schritten auf der Seite. Der Link läuft in ${germanLifetime(ENROLLMENT_LIFETIME_MS)} ab und gilt für beliebig viele Geräte.`,
    link: 'Registrierungslink',
    waiting: 'Warten auf ein Gerät …',
    registered: (name) => `${name} registriert`,
    registerAnother: 'Sie können ein weiteres Gerät registrieren.',
    paused: (minutes) => `In den letzten ${minutes} Minuten wurde kein Gerät registriert.`,
    keepWaiting: 'Weiter warten',
    expired: 'Der Link ist abgelaufen.',
    createNewLink: 'Neuen Link erstellen',
  },
  waiting: {
    title: (count, hasMore) =>
      count === 1 && !hasMore
        ? '1 Telefon wartet auf einen Build'
        : `${count}${hasMore ? '+' : ''} Telefone warten auf einen Build`,
    showAll: 'Alle anzeigen',
    noOwner: 'ohne Besitzer',
    next: 'Registrieren Sie wartende Telefone bei Apple, nehmen Sie sie in das Profil auf und geben Sie einen neuen Build frei.',
    askManager:
      'Manager der Organisation können wartende Telefone für Apple exportieren. Nehmen Sie sie dann in das Profil auf und geben Sie einen neuen Build frei.',
    remove: (name) => `${name} entfernen`,
    removeTitle: (name) => `${name} aus der Liste der wartenden Telefone entfernen?`,
    removeEffect: 'Es bleibt registriert. Niemand wird benachrichtigt, wenn ein Build es enthält.',
    removed: (name) => `${name} wartet nicht mehr auf einen Build.`,
  },
  builds: {
    open: 'Passende Builds anzeigen',
    titleOf: (name) => `Builds für ${name}`,
    title: 'Kompatibilität mit den aktuellen Freigaben',
    none: 'Noch keine iOS-Freigaben. Sobald es welche gibt, sehen Sie hier, ob sie auf diesem Gerät laufen.',
    truncated: (count) => `Nur die ${count} neuesten Projekte werden angezeigt.`,
  },
  build: {
    able: (able, total) =>
      `von ${total === 1 ? '1 Gerät' : `${total} Geräten`} ${able === 1 || total === 1 ? 'kann' : 'können'} ihn installieren`,
    key: { able: 'installierbar', waiting: 'nicht im Profil', cannot: 'nicht installierbar' },
    groups: {
      able: 'Installierbar',
      waiting: 'Warten auf einen Build',
      not_provisioned: 'Nicht im Profil',
      os_too_old: 'Betriebssystem zu alt',
      device_family: 'Gerätetyp nicht unterstützt',
      unknown_device: 'Unbekannt',
      other: 'Nicht installierbar',
    },
    steps: {
      waiting: (count) =>
        `Nehmen Sie ${count === 1 ? 'dieses Gerät' : `diese ${count} Geräte`} ins Profil auf und bauen Sie neu.`,
      not_provisioned: 'Sie fehlen im Profil. Nehmen Sie sie auf und bauen Sie neu.',
      os_too_old: 'Aktualisieren Sie sie, oder senken Sie die Mindestversion der App.',
    },
    registered: 'Registriert',
    showOthers: (count) => `${count} weitere`,
    all: (count) => `Alle ${count} Geräte`,
    none: 'Die Organisation hat noch keine Geräte.',
    register: 'Gerät registrieren',
    verdicts,
    reasons: {
      ...reasons,
      profile_expired: `${reasons.profile_expired} Signieren Sie den Build neu.`,
      not_provisioned: `${reasons.not_provisioned} Registrieren Sie es bei Apple und bauen Sie neu.`,
    },
    requiresSystem: (system) => `Erfordert ${system}.`,
    notes: { profile_expires_soon: 'Das Profil läuft bald ab.', debuggable: 'Der Build ist debugfähig.' },
  },
};
