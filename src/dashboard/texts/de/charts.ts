// Texts of charts and of the installs of a release.
import type { Texts } from '../en.ts';

const people = (count: number) => (count === 1 ? '1 Tester' : `${count} Testern`);
const installs = (count: number) => (count === 1 ? '1 Installation' : `${count} Installationen`);

export const charts: Texts['charts'] = {
  period: 'Zeitraum',
  days: (count) => `${count} Tage`,
  table: 'Als Tabelle anzeigen',
  day: 'Tag',
  keyboardHint: 'Mit den Pfeiltasten links und rechts wechseln Sie zwischen den Tagen.',
  utc: 'Tage in UTC.',
  activity: 'Downloads und Installationen pro Tag',
  downloads: 'Downloads',
  installs: 'Installationen',
  installsHint: 'Installationen werden nur für Apps mit In-App-Updates gezählt.',
  totals: (downloads, installed, days) =>
    `${downloads === 1 ? '1 Download' : `${downloads} Downloads`}${installed === undefined ? '' : ` und ${installs(installed)}`} in ${days} Tagen`,
  adoption: 'Verbreitung der aktuellen Freigabe',
  testers: 'Tester',
  apps: 'Apps mit In-App-Updates',
  adoptionText: (have, all) => `${have} von ${people(all)}`,
  appsText: (have, all) => `${have} von ${installs(all)}`,
  noAudience: 'Dieser Kanal hat noch keine Tester und keine Apps mit In-App-Updates.',
  nothingLive: 'Auf dem Kanal ist nichts verfügbar.',
};

export const releaseInstalls: Texts['releaseInstalls'] = {
  show: 'Installationen anzeigen',
  title: (build) => `Installationen von ${build}`,
  hint: 'Tester, die sie von diesem Kanal heruntergeladen haben, und Apps mit In-App-Updates, neueste zuerst.',
  none: 'Noch keine Installationen.',
  publicLink: 'Öffentlicher Link',
  app: 'App mit In-App-Updates',
  retainedEffect: (testers, downloads) =>
    downloads === 0
      ? 'Noch niemand hat sie heruntergeladen.'
      : `Wo sie installiert ist, bleibt sie: bisher ${testers} Tester und ${downloads === 1 ? '1 Download' : `${downloads} Downloads`}.`,
  disableEarlierEffect:
    'Die aktuelle Freigabe bleibt verfügbar. Beim Zurückrollen wird diese Freigabe übersprungen, bis Sie sie wieder aktivieren.',
  editNotes: 'Versionshinweise bearbeiten',
  notesSaved: 'Versionshinweise gespeichert',
  delete: 'Freigabe löschen',
  deleteTitle: (build) => `Freigabe von ${build} löschen?`,
  deleteEffect:
    'Auch die Liste der Installationen wird gelöscht. Der Build bleibt, und die Zahl der Downloads des Kanals ändert sich nicht. Das lässt sich nicht rückgängig machen.',
  deleteCurrentEffect: (to) => `Danach ist ${to} auf dem Kanal verfügbar.`,
  deleteOnlyEffect: 'Danach ist auf dem Kanal nichts verfügbar.',
  deleteUnknownEffect: 'Danach ist eine frühere Freigabe auf dem Kanal verfügbar, falls es eine gibt.',
  deleted: (build) => `Freigabe von ${build} gelöscht`,
};
