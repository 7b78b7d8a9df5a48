// Texts about projects and adding packages to them, in German.

import { MAX_COUNTED } from '../../../projects/contents-limit.ts';
import type { Texts } from '../en.ts';

// Not shared by the catalogs, because a first visit would load one more file.
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
    delete: 'Screenshot löschen',
    confirmTitle: (number) => `Screenshot ${number} löschen?`,
    confirm: 'Installationsseiten zeigen ihn nicht mehr. Das kann nicht rückgängig gemacht werden.',
    notAdded: (files) => `Nicht hinzugefügt: ${files}`,
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

export const adding: Texts['adding'] = {
  choose: 'Build hochladen',
  dropAnywhere: 'Zum Hochladen ablegen',
  dropToCreate: 'Ablegen, um ein Projekt anzulegen',
  choosePackage: 'Paket auswählen',
  publicSwitch: 'Jeder mit dem Link kann installieren',
  publicHint: 'Wer den Link des Kanals hat, installiert ohne Konto.',
  privateHint: 'Tester melden sich zum Installieren an. Andere können um Zugriff bitten.',
};
