// Texts of the home page, in German.
import type { Texts } from '../en.ts';

const plural = (count: number, one: string, many: string): string => (count === 1 ? `1 ${one}` : `${count} ${many}`);

export const home: Texts['home'] = {
  title: 'Start',
  releasesToday: (count, isAll) =>
    isAll ? `${plural(count, 'Freigabe', 'Freigaben')} heute` : `Mindestens ${count} Freigaben heute`,
  needAttention: (count) => plural(count, 'Punkt offen', 'Punkte offen'),
  releases: {
    title: 'Neueste Freigaben',
    noNotes: 'Keine Versionshinweise',
    of: (total) => `von ${total}`,
    adoption: (have, all) => `Von ${have} von ${plural(all, 'Tester', 'Testern')} heruntergeladen`,
    downloads: (count) => plural(count, 'Download', 'Downloads'),
    more: (count) => `${count} weitere anzeigen`,
  },
  attention: {
    title: 'Zu erledigen',
    showAll: (count) => `Alle ${count} anzeigen`,
    showWorst: (count) => `Die ${count} dringendsten anzeigen`,
    worst: (shown, total) => `Die ${shown} dringendsten von ${total}. Weitere erscheinen, wenn diese erledigt sind.`,
    open: 'Öffnen',
    review: 'Prüfen',
    uninstallable: (project) => `${project} ist nicht installierbar`,
    newestUninstallable: (project) => `Neuester Build von ${project} ist nicht installierbar`,
    expires: {
      profile: (days) => (days === 0 ? 'Profil läuft heute ab' : `Profil läuft in ${plural(days, 'Tag', 'Tagen')} ab`),
      certificate: (days) =>
        days === 0 ? 'Zertifikat läuft heute ab' : `Zertifikat läuft in ${plural(days, 'Tag', 'Tagen')} ab`,
    },
    certificateExpired: 'Zertifikat abgelaufen',
    profileExpired: (day) => `Profil am ${day} abgelaufen`,
    devicesWaiting: (count) => plural(count, 'Gerät wartet auf einen Build', 'Geräte warten auf einen Build'),
    devicesSince: (day) => `In keinem aktiven Profil, seit ${day}`,
    channelAwaited: (count) =>
      count >= 1000
        ? '1.000 oder mehr Telefone warten auf einen Build'
        : plural(count, 'Telefon wartet auf einen Build', 'Telefone warten auf einen Build'),
    accessRequested: (count) => plural(count, 'Person bittet um Zugriff', 'Personen bitten um Zugriff'),
    requestedFor: (project, channel, day) => `${project}, ${channel}, seit ${day}`,
    webhookFailing: (count) =>
      count >= 100
        ? '100 oder mehr Zustellungen schlagen fehl'
        : plural(count, 'Zustellung schlägt fehl', 'Zustellungen schlagen fehl'),
    webhookDisabled: (count) =>
      count >= 100 ? '100 oder mehr Zustellungen warten' : plural(count, 'Zustellung wartet', 'Zustellungen warten'),
    isDisabled: (webhook) => `${webhook} ist deaktiviert`,
    webhook: 'Webhook',
    status: (code) => `HTTP ${code}`,
  },
  apps: {
    title: 'Apps',
    view: 'Ansicht',
    views: { rows: 'Zeilen', cards: 'Karten' },
    search: 'App suchen',
    noMatches: 'Keine passenden Apps.',
    app: 'App',
    channels: 'Kanäle',
    newestBuild: 'Neuester Build',
    buildsInWeek: 'Builds, 7 Tage',
    lastUpload: 'Letzter Upload',
    buildCount: (count) => (count >= 1000 ? '1.000+' : String(count)),
    noBuilds: 'Noch keine Builds',
    noRelease: 'keine Freigaben',
    more: (count) => `+${count}`,
    moreNames: (names) => names.join(', '),
  },
};
