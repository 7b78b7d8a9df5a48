// Texts about testers, tester groups, and the page with the user's own apps, in German.

import { CHANNEL_INVITATION_LIFETIME_MS, germanLifetime } from '../../../lib/lifetimes.ts';
import type { Texts } from '../en.ts';
import { verdictReasons, verdicts } from './verdicts.ts';

export const testers: Texts['testers'] = {
  title: 'Tester',
  ofOrganization: (name) => `Sie haben Zugriff auf alle Kanäle aller Projekte von ${name}, auch auf künftige.`,
  ofProject: (name) => `Sie haben Zugriff auf alle Kanäle von ${name}, auch auf künftige.`,
  inherited: 'Tester der Organisation und von Gruppen haben ebenfalls Zugriff auf dieses Projekt. Sie stehen hier:',
  add: 'Hinzufügen',
  email: 'E-Mail-Adresse',
  emailHint: {
    mailed:
      'Personen mit Konto erhalten sofort Zugriff, alle anderen mit der Registrierung. Alle erhalten eine E-Mail.',
    unmailed: 'Personen mit Konto erhalten sofort Zugriff, alle anderen mit der Registrierung.',
  },
  listHint: 'Sie können auch eine Liste oder CSV einfügen.',
  signUpHint:
    'Dieser Server verschickt keine E-Mails. Senden Sie Personen ohne Konto diesen Link, damit sie sich mit ihrer Adresse registrieren:',
  signUpLink: 'Registrierungslink',
  verifyHint: 'Sie können installieren, sobald ein Betreiber ihre Adresse im Terminal des Servers bestätigt hat:',
  alreadyAdded: 'Bereits hinzugefügt',
  addedMany: (count, known) =>
    `${count === 1 ? '1 Person' : `${count} Personen`} hinzugefügt${known === 0 ? '' : `. Bereits hinzugefügt: ${known}`}`,
  tooMany: (count, most) => `Das sind ${count} Adressen. Fügen Sie höchstens ${most} auf einmal hinzu.`,
  added: (email) => `${email} hat Zugriff`,
  addedUnverified: (email) => `${email} bekommt mit der Bestätigung dieser Adresse Zugriff`,
  invited: {
    mailed: (email) => `${email} hat eine E-Mail erhalten und bekommt mit der Registrierung Zugriff`,
    unmailed: (email) => `${email} bekommt mit der Registrierung unter dieser Adresse Zugriff`,
  },
  emptyTitle: 'Noch keine Tester',
  emptyOrganization:
    'Fügen Sie Personen mit ihrer E-Mail-Adresse hinzu. Sie können Builds installieren, sehen aber sonst nichts von der Organisation.',
  emptyProject:
    'Fügen Sie Personen mit ihrer E-Mail-Adresse hinzu. Sie können Builds dieses Projekts installieren, sehen aber sonst nichts.',
  active: 'Hat Zugriff',
  pending: 'Ausstehend',
  addedAt: 'hinzugefügt',
  waiting: {
    mailed: 'Noch kein Konto mit dieser Adresse. E-Mail gesendet',
    unmailed: 'Noch kein Konto mit dieser Adresse. Hinzugefügt',
  },
  notify: 'E-Mail erneut senden',
  notified: (email) => `E-Mail an ${email} gesendet`,
  notifyWait: (time) => `Vor Kurzem wurde schon eine E-Mail gesendet. Die nächste ist ab ${time} möglich.`,
  removeTitle: (email) => `${email} entfernen?`,
  removeFromOrganization: (email, place) =>
    `${email} verliert sofort diesen Zugriff auf alle Kanäle von ${place}; unbenutzte Links funktionieren nicht mehr. Der Zugriff über einzelne Projekte oder Kanäle und über Gruppen bleibt.`,
  removeFromProject: (email, place) =>
    `${email} verliert sofort diesen Zugriff auf alle Kanäle von ${place}; unbenutzte Links funktionieren nicht mehr. Der Zugriff über die Organisation, Gruppen und einzelne Kanäle bleibt.`,
  removePending: (email) => `${email} bekommt mit der Registrierung keinen Zugriff mehr.`,
  removed: (email) => `${email} entfernt`,
  channel: {
    title: 'Tester',
    titleOf: (channel) => `Tester von ${channel}`,
    invite: 'Einladen',
    all: (count) => (count === 1 ? 'Tester anzeigen' : `Alle ${count} Tester`),
    toAll: 'Tester und Einladungen',
    has: (version) => `hat ${version}`,
    nothingYet: 'noch nichts',
    hint: 'Personen mit Konto und Zugriff auf diesen Kanal und ihr installierter Build. Wer sich erst registrieren muss, steht dort, wo der Zugriff erteilt wurde.',
    csv: 'CSV herunterladen',
    empty:
      'Noch keine Tester mit Konto. Laden Sie jemanden mit einem Link ein, oder fügen Sie dem Projekt Tester hinzu.',
    emptyReader: 'Noch keine Tester mit Konto.',
    toProject: 'Zu den Projekttestern',
    noInstalls: 'Noch keine Installation aus diesem Kanal',
    installedBuild: (build) => `Hat ${build}`,
    deletedBuild: 'einen gelöschten Build',
    unknownPhone: 'Telefon unbekannt',
    emailsOff: 'E-Mails aus',
    unverified: 'E-Mail-Adresse nicht bestätigt',
    unverifiedHint: 'Kann erst installieren, wenn die E-Mail-Adresse bestätigt ist.',
    levels: { organization: 'Organisation', project: 'Projekt', channel: 'Eingeladen', group: 'Gruppe' },
    byLink: 'Beitrittslink',
    devices: 'Geräte',
    verdicts,
    nothingLive: 'Auf dem Kanal ist nichts verfügbar',
    requiresSystem: (system) => `erfordert ${system}`,
    hasSystem: (system) => `hat ${system}`,
    profileExpiresSoon: 'das Profil läuft bald ab',
    reasons: verdictReasons,
    removeEffect: (email) =>
      `${email} verliert sofort den Zugriff auf diesen Kanal; unbenutzte Links funktionieren nicht mehr.`,
    removeOnlyInvitation: (email, ways) =>
      `Der Zugriff durch Einladung wird entfernt. ${email} hat weiterhin Zugriff auf diesen Kanal über: ${ways}.`,
  },
  requests: {
    title: 'Anfragen nach Zugriff',
    grant: 'Zugriff geben',
    decline: 'Ablehnen',
    granted: (name) => `${name} kann jetzt aus diesem Kanal installieren.`,
    declined: (name) => `Die Anfrage von ${name} wurde abgelehnt.`,
    person: (name) => `Anfrage von ${name}`,
  },
  invite: {
    button: 'Mit Link einladen',
    title: (channel) => `Zu ${channel} einladen`,
    hint: `Der Link funktioniert einmal und läuft in ${germanLifetime(CHANNEL_INVITATION_LIFETIME_MS)} ab.`,
    emailHint: {
      mailed: 'Erhält den Link per E-Mail. Nur diese Adresse kann ihn verwenden. Ohne Adresse gilt der Link für alle.',
      unmailed: 'Nur diese Adresse kann den Link verwenden. Ohne Adresse gilt der Link für alle.',
    },
    createLink: 'Link erstellen',
    createdTitle: 'Einladung erstellt',
    forAddress: {
      mailed: (email) =>
        `Nur ${email} kann sie verwenden, mit dieser Adresse angemeldet. Sie kommt auch per E-Mail, außer vor wenigen Minuten wurde schon eine gesendet. Sie läuft in ${germanLifetime(CHANNEL_INVITATION_LIFETIME_MS)} ab.`,
      unmailed: (email) =>
        `Dieser Server verschickt keine E-Mails. Senden Sie den Link selbst. Nur ${email} kann ihn verwenden, mit dieser Adresse angemeldet. Er läuft in ${germanLifetime(CHANNEL_INVITATION_LIFETIME_MS)} ab.`,
    },
    forAnyone: `Senden Sie den Link an eine Person, oder lassen Sie ihn scannen. Er funktioniert einmal und läuft in ${germanLifetime(CHANNEL_INVITATION_LIFETIME_MS)} ab.`,
    qrLabel: (channel) => `QR-Code der Einladung zu ${channel}`,
    listTitle: 'Einladungen',
    anyone: 'Alle mit dem Link',
    expires: 'läuft {time} ab',
    accepted: 'Angenommen',
    revoke: 'Widerrufen',
    revoked: 'Einladung widerrufen',
  },
  joinLinks: {
    button: 'Beitrittslink erstellen',
    title: (channel) => `Beitrittslink für ${channel}`,
    hint: 'Alle mit dem Link können Tester dieses Kanals werden. Er funktioniert für viele Personen, bis er abläuft oder Sie ihn widerrufen.',
    label: 'Bezeichnung',
    labelHint: 'Für Ihr Team, zum Beispiel „Meetup“ oder „Support“.',
    maxPeople: 'Höchstzahl der Personen',
    maxPeopleHint: 'Ohne Angabe beliebig viele.',
    domain: 'E-Mail-Domain',
    domainHint: 'Nur Personen mit einer bestätigten Adresse dieser Domain können beitreten.',
    create: 'Link erstellen',
    createdTitle: 'Beitrittslink erstellt',
    use: 'Teilen Sie den Link, oder lassen Sie den Code scannen. Die Personen melden sich an, wählen „Beitreten“ und können installieren.',
    print: 'QR-Code drucken',
    printHint: 'Code scannen, anmelden und „Beitreten“ wählen, um die App zu installieren.',
    qrLabel: (channel) => `QR-Code des Beitrittslinks für ${channel}`,
    listTitle: 'Beitrittslinks',
    unnamed: 'Beitrittslink',
    joined: (count, maximum) =>
      maximum === null
        ? `${count === 1 ? '1 Person' : `${count} Personen`} beigetreten`
        : `${count} von ${maximum} beigetreten`,
    onlyDomain: (domain) => `nur Adressen unter ${domain}`,
    created: 'erstellt',
    expires: 'läuft {time} ab',
    states: { open: 'Offen', full: 'Voll', expired: 'Abgelaufen', revoked: 'Widerrufen' },
    revoke: 'Widerrufen',
    revokeTitle: (name) => `${name} widerrufen?`,
    revokeEffect: (count) =>
      count === 0
        ? 'Mit diesem Link kann niemand mehr beitreten, und gedruckte Codes funktionieren nicht mehr.'
        : `Mit diesem Link kann niemand mehr beitreten, und gedruckte Codes funktionieren nicht mehr. ${count === 1 ? 'Die beigetretene Person behält' : `Die ${count} beigetretenen Personen behalten`} den Zugriff.`,
    revoked: 'Beitrittslink widerrufen',
  },
};

export const groups: Texts['groups'] = {
  title: 'Testergruppen',
  create: 'Neue Gruppe',
  name: 'Name',
  releaseEmails: 'E-Mails über neue Freigaben',
  releaseEmailsHint: 'Mitglieder, die auch auf anderem Weg Zugriff haben, erhalten trotzdem E-Mails.',
  emptyTitle: 'Noch keine Gruppen',
  emptyText:
    'Legen Sie eine Gruppe wie „QA“ an, fügen Sie Personen hinzu, und wählen Sie Projekte oder Kanäle für sie.',
  counts: (members, grants) =>
    `${members === 1 ? '1 Person' : `${members} Personen`} · ${grants === 0 ? 'noch kein Zugriff' : grants === 1 ? 'Zugriff auf 1 Projekt oder Kanal' : `Zugriff auf ${grants} Projekte oder Kanäle`}`,
  emailsOff: 'E-Mails aus',
  people: 'Personen',
  noPeople: 'Noch keine Personen. Fügen Sie oben die erste hinzu.',
  access: 'Zugriff',
  noAccess: 'Noch kein Zugriff. Wählen Sie oben ein Projekt oder einen Kanal.',
  noProjects: 'Noch keine Projekte.',
  project: 'Projekt',
  channel: 'Kanal',
  allChannels: 'Alle Kanäle',
  allChannelsOf: (project) => `${project}: alle Kanäle`,
  channelOf: (project, channel) => `${project}: ${channel}`,
  deletedChannel: 'Ein gelöschter Kanal',
  grantAccess: 'Zugriff erteilen',
  alreadyGranted: 'Hat bereits Zugriff',
  rename: 'Umbenennen',
  delete: 'Gruppe löschen',
  deleteTitle: (name) => `${name} löschen?`,
  deleteEffect: (members) =>
    `${members === 1 ? '1 Person verliert' : `${members} Personen verlieren`} sofort den Zugriff über diese Gruppe. Anderer Zugriff bleibt.`,
  deleted: (name) => `${name} gelöscht`,
  removeTitle: (email, group) => `${email} aus ${group} entfernen?`,
  removeEffect: (email) => `${email} verliert sofort den Zugriff über diese Gruppe.`,
  revokeTitle: (place) => `Zugriff auf „${place}“ widerrufen?`,
  revokeEffect: (members) =>
    `${members === 1 ? '1 Person verliert' : `${members} Personen verlieren`} sofort den Zugriff, außer er besteht auch auf anderem Weg.`,
  revokeAccess: 'Zugriff widerrufen',
};

export const myApps: Texts['myApps'] = {
  title: 'Meine Apps',
  hint: {
    mailed: 'Apps, die Sie testen können. Öffnen Sie diese Seite zum Installieren auf Ihrem Telefon.',
    unmailed:
      'Apps, die Sie testen können. Öffnen Sie diese Seite zum Installieren auf Ihrem Telefon. Dieser Server verschickt keine E-Mails; neue Freigaben finden Sie hier.',
  },
  emptyTitle: 'Noch keine Apps zum Testen',
  emptyText: (email) =>
    `Bitten Sie das Team der App, ${email} als Tester hinzuzufügen oder Ihnen eine Einladung zu senden. Die App erscheint dann hier.`,
  emptyUnverified: (email) => `Bestätigen Sie zuerst ${email}. Danach erscheinen hier die Apps, die Sie testen können.`,
  noChannels: 'Derzeit gibt es nichts zu installieren.',
  nothingReleased: {
    mailed: 'Noch keine Freigaben. Sie erhalten eine E-Mail, sobald es eine gibt.',
    unmailed: 'Noch keine Freigaben.',
  },
  paused: {
    title: 'Downloads sind pausiert',
    text: 'Die Organisation kann diese App derzeit nicht bereitstellen. Wenden Sie sich an die Person, die Sie eingeladen hat.',
  },
  install: 'Installieren',
  forDevices: (devices) => `Für ${devices}`,
  installNamed: (app, build) => `${app} ${build} installieren`,
  mandatory: 'Pflicht',
  requiresSystem: (system) => `erfordert ${system}`,
  releaseNotes: 'Was sich geändert hat',
  releaseEmails: 'E-Mails über neue Freigaben',
  releaseEmailsOf: (channel) => `E-Mails über neue Freigaben von ${channel}`,
  sendFeedback: 'Feedback senden',
  showVersions: 'Alle Versionen',
  hideVersions: 'Versionen ausblenden',
  current: 'Aktuell',
  open: 'Meine Apps anzeigen',
};
