// The audit trail, in German.
import type { Texts } from '../en.ts';

export const audit: Texts['audit'] = {
  title: 'Protokoll',
  hint: 'Wer was in der Organisation wann geändert hat. Tage sind in UTC.',
  period: 'Zeitraum',
  periods: { day: 'Ein Tag', range: 'Mehrere Tage' },
  day: 'Tag',
  from: 'Erster Tag',
  to: 'Letzter Tag',
  wrongOrder: 'Der letzte Tag liegt vor dem ersten.',
  event: 'Ereignis',
  type: 'Wovon',
  actor: 'Wer',
  address: 'Adresse',
  details: 'Einzelheiten',
  when: 'Wann',
  all: 'Alle',
  search: 'In den Einzelheiten suchen',
  count: (shown, all) =>
    shown === all ? (all === 1 ? '1 Ereignis' : `${all} Ereignisse`) : `${shown} von ${all} Ereignissen`,
  csv: 'CSV',
  csvLabel: 'Gezeigtes als CSV sichern',
  truncatedTitle: 'Ältere Ereignisse fehlen',
  truncated: (count) =>
    `Gezeigt sind die neuesten ${count} Ereignisse des Zeitraums; mehr enthält auch die CSV nicht. Weniger Tage zeigen die übrigen.`,
  truncatedDay: (count) =>
    `Gezeigt sind die neuesten ${count} Ereignisse des Tages; mehr enthält auch die CSV nicht. Mehrere Tage fassen mehr: denselben Tag als ersten und letzten wählen.`,
  noneTitle: 'Nichts geschehen',
  none: 'In diesen Tagen gibt es keine Ereignisse. Bitte andere wählen.',
  nothingMatches: 'Kein Ereignis dieser Tage passt zu den Filtern.',
  clear: 'Filter leeren',
  showMore: 'Mehr zeigen',
  system: 'System',
  kinds: {
    developer: '',
    personal_access_token: 'persönliches Zugriffstoken',
    project_access_token: 'Projekt-Token',
    system: '',
  },
  identifier: 'Kennung dessen, dem es geschah',
  command: 'Ganze Protokolle exportiert man auf dem Server, ohne Grenze:',
};
