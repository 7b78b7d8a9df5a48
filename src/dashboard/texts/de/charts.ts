// Words of charts, and of who took a release.
import type { Texts } from '../en.ts';

const people = (count: number) => (count === 1 ? '1 Tester' : `${count} Testern`);
const installs = (count: number) => (count === 1 ? '1 Installation' : `${count} Installationen`);

export const charts: Texts['charts'] = {
  span: 'Wie weit zurück',
  days: (count) => `${count} Tage`,
  table: 'Als Tabelle',
  day: 'Tag',
  keys: 'Links und rechts gehen durch die Tage.',
  utc: 'Die Tage sind die von UTC.',
  use: 'Downloads und Installationen am Tag',
  downloads: 'Downloads',
  installs: 'Installationen',
  installsHint: 'Installationen sind die von Apps, die sich selbst aktualisieren und gemeldet haben, dass sie laufen.',
  inAll: (downloads, installed, days) =>
    `${downloads === 1 ? '1 Download' : `${downloads} Downloads`}${installed === undefined ? '' : ` und ${installs(installed)}`} in ${days} Tagen`,
  adoption: 'Wer die aktuelle Freigabe hat',
  testers: 'Tester',
  apps: 'Apps, die sich selbst aktualisieren',
  adoptionText: (have, all) => `${have} von ${people(all)}`,
  appsText: (have, all) => `${have} von ${installs(all)}`,
  nobody: 'Dieser Kanal hat noch keine Tester und keine App, die sich selbst aktualisiert.',
  nothingServed: 'Der Kanal bietet zurzeit nichts an.',
};

export const takers: Texts['takers'] = {
  show: 'Wer sie hat',
  title: (build) => `Wer ${build} geladen hat`,
  hint: 'Alle, die sie von diesem Kanal geladen haben, und Apps, die sich selbst aktualisiert haben, die neuesten zuerst.',
  none: 'Noch niemand.',
  link: 'Jemand mit dem öffentlichen Link',
  app: 'Eine App, die sich selbst aktualisiert',
  states: { downloaded: 'Geladen', installed: 'Installiert', launched: 'Gestartet', failed: 'Fehlgeschlagen' },
  holders: (testers, downloads) =>
    downloads === 0
      ? 'Noch hat sie niemand geladen.'
      : `Wo sie installiert ist, bleibt sie: bisher ${testers} Tester und ${downloads === 1 ? '1 Download' : `${downloads} Downloads`}.`,
  disableEarlierEffect:
    'Der Kanal bietet weiter an, was er anbietet; beim Zurückrollen wird diese Freigabe übergangen, bis sie wieder eingeschaltet ist.',
  editNotes: 'Bearbeiten, was neu ist',
  notesSaved: 'Gespeichert, was neu ist',
  delete: 'Freigabe löschen',
  deleteTitle: (build) => `Die Freigabe von ${build} löschen?`,
  deleteEffect:
    'Sie verschwindet aus dieser Liste, samt wer sie geladen hat. Der Build bleibt; Downloads bleiben beim Kanal gezählt. Das lässt sich nicht rückgängig machen.',
  deleteCurrent: (to) => `Der Kanal bietet dann ${to} an.`,
  deleteLast: 'Der Kanal bietet dann nichts an.',
  deleted: (build) => `Die Freigabe von ${build} ist gelöscht`,
};
