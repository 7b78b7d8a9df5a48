// Texts about channels, in German.
import type { Texts } from '../en.ts';

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
  keepByAdmins: 'Diese Regeln löschen Builds, deshalb können nur Admins des Projekts sie ändern.',
  keepHint:
    'Ein Build bleibt, solange eine der beiden Regeln oder ein anderer Kanal ihn behält. Aktuelle und angeheftete Builds bleiben immer. Andere werden eine Woche nach einer E-Mail gelöscht. Leer: Der Kanal behält alle Builds.',
  publicSwitch: 'Öffentlich',
  publicHint: 'Alle mit dem Link können ohne Anmeldung installieren.',
  registrationSwitch: 'Alle können iPhones registrieren',
  registrationHint:
    'Alle mit dem Link können ihr iPhone registrieren und auf einen Build warten, höchstens 100 gleichzeitig. Ein Telefon zählt zu Ihren 100 Geräten bei Apple, sobald es dort registriert ist: durch Sie, oder sofort, wenn neue Geräte automatisch registriert werden.',
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
  promote: 'Weitergeben',
  promoteTo: (channel) => `An ${channel} weitergeben`,
  promoteTitle: (build) => `${build} weitergeben`,
  rollBack: 'Zurückrollen',
  noEarlierRelease: 'Es gibt keine frühere Freigabe.',
  olderNotLoaded: 'Laden Sie zuerst ältere Freigaben im Verlauf.',
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
  disableUnknownEffect:
    'Auf dem Kanal ist eine frühere Freigabe aktuell, falls es eine gibt, bis Sie diese Freigabe wieder aktivieren.',
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
    'Auch Freigaben, Links, Tester und SDK-Apps werden gelöscht; installierte Apps erhalten darüber keine Updates mehr. Builds bleiben. Das lässt sich nicht rückgängig machen.',
  deleted: (name) => `${name} gelöscht`,
  card: {
    testers: (count) => (count === 1 ? '1 Tester' : `${count} Tester`),
    adoption: (have, all) =>
      `${have} von ${all === 1 ? '1 Tester' : `${all} Testern`} ${have === 1 || all === 1 ? 'hat' : 'haben'} sie`,
    adoptionLabel: 'Tester, die die aktuelle Freigabe haben',
    noTesters: 'Keine Tester',
    downloads: (count) => (count === 1 ? '1 Download' : `${count} Downloads`),
  },
  usage: {
    title: 'Verbreitung',
    analytics: 'Statistik',
    analyticsOf: (channel) => `Statistik von ${channel}`,
    testersHave: (have, all, version) =>
      `von ${all === 1 ? '1 Tester' : `${all} Testern`} ${have === 1 || all === 1 ? 'hat' : 'haben'} ${version}`,
    have: (count) => (count === 1 ? 'hat sie' : 'haben sie'),
    can: (count) => (count === 1 ? 'kann installieren' : 'können installieren'),
    notYet: 'noch nicht',
    cannot: (count) => (count === 1 ? 'kann nicht installieren' : 'können nicht installieren'),
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
