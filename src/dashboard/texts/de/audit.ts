// Texts about the audit trail, in German.

import type { Texts } from '../en.ts';

export const audit: Texts['audit'] = {
  title: 'Protokoll',
  hint: 'Tage in UTC.',
  period: 'Zeitraum',
  periods: { day: 'Ein Tag', range: 'Mehrere Tage' },
  day: 'Tag',
  from: 'Erster Tag',
  to: 'Letzter Tag',
  invalidRange: 'Der letzte Tag darf nicht vor dem ersten liegen.',
  event: 'Ereignis',
  type: 'Typ',
  actor: 'Akteur',
  allEvents: 'Alle Ereignisse',
  allTypes: 'Alle Typen',
  allActors: 'Alle Akteure',
  search: 'Ereignisse durchsuchen',
  shownCount: (shown, all) =>
    shown === all ? (all === 1 ? '1 Ereignis' : `${all} Ereignisse`) : `${shown} von ${all} Ereignissen`,
  csv: 'CSV',
  csvLabel: 'Angezeigte Ereignisse als CSV herunterladen',
  truncatedTitle: 'Ältere Ereignisse nicht angezeigt',
  truncated: (count) =>
    `Nur die neuesten ${count} Ereignisse des Zeitraums werden angezeigt und in die CSV-Datei übernommen. Wählen Sie einen kürzeren Zeitraum, um die übrigen zu sehen.`,
  truncatedDay: (count) =>
    `Nur die neuesten ${count} Ereignisse des Tages werden angezeigt und in die CSV-Datei übernommen. Für mehr wechseln Sie zu „Mehrere Tage“ und wählen diesen Tag als ersten und letzten.`,
  noneTitle: 'Keine Ereignisse',
  none: 'Keine Ereignisse in diesem Zeitraum. Wählen Sie einen anderen.',
  noMatches: 'Keine Ereignisse entsprechen den Filtern.',
  clearFilters: 'Filter zurücksetzen',
  showMore: 'Mehr anzeigen',
  actorKinds: {
    developer: '',
    personal_access_token: 'persönliches Zugriffstoken',
    project_access_token: 'Projekt-Token',
    system: '',
  },
  targetId: 'Ziel-ID',
  exportAll: 'Alle Ereignisse auf dem Server exportieren',
};
