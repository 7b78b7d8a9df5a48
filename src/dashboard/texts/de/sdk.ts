// Texts about SDK apps and project access tokens.
import type { Texts } from '../en.ts';

const installs = (count: number) => (count === 1 ? '1 Installation' : `${count} Installationen`);

export const sdk: Texts['sdk'] = {
  tab: 'SDK',
  title: 'SDK-Apps',
  create: 'Neue SDK-App',
  edit: 'Bearbeiten',
  editTitle: (name) => `${name} bearbeiten`,
  emptyTitle: 'Noch keine SDK-Apps',
  emptyText:
    'Legen Sie eine an und bauen Sie Schlüssel und Geheimnis in Ihre App ein. Dann kann Ihre App Updates anbieten.',
  emptyReadOnly: 'Bitten Sie einen Maintainer des Projekts, eine anzulegen.',
  noChannels: 'Eine SDK-App folgt einem Kanal. Legen Sie zuerst einen Kanal an.',
  toChannels: 'Zu den Kanälen',
  name: 'Name',
  nameHint: 'Der Name, den Benutzer in der App sehen.',
  channel: 'Kanal',
  channelChangeEffect: (count) =>
    count === 0
      ? undefined
      : `Mit dem Kanal ${count === 1 ? 'wechselt auch 1 Installation' : `wechseln auch alle ${count} Installationen`} bei der nächsten Update-Prüfung.`,
  unknownChannel: 'ein gelöschter Kanal',
  key: 'App-Schlüssel',
  identifier: 'SDK-App-ID',
  installCount: installs,
  created: 'angelegt',
  createdLabel: 'Angelegt',
  createdBy: 'von',
  rotated: 'Geheimnis erneuert',
  revoked: 'Widerrufen',
  revokedText: 'Ihre Installationen können nicht mehr nach Updates suchen. Widerrufen',
  secretTitle: (name) => `Geheimnis von ${name}`,
  secretText:
    'Bauen Sie es zusammen mit dem Schlüssel in Ihre App ein. Damit registrieren sich Installationen der App; es gibt nur Zugriff auf die Freigaben dieses Kanals.',
  enrollExample: 'So registriert sich eine Installation:',
  afterEnrollment:
    'Mit dem Update-Token aus der Antwort fragt die App die neueste Freigabe ab und lädt sie herunter. Alle Anfragen beschreibt die',
  rotate: 'Geheimnis erneuern',
  rotateTitle: (name) => `Geheimnis von ${name} erneuern?`,
  rotateText: (count) =>
    count === 0
      ? 'Apps mit dem alten Geheimnis können sich nicht mehr registrieren.'
      : `Apps mit dem alten Geheimnis können sich nicht mehr registrieren. Bereits registriert bleiben ${installs(count)}, solange sie ihr Token erneuern.`,
  revoke: 'Widerrufen',
  revokeTitle: (name) => `${name} widerrufen?`,
  revokeText: (count) =>
    `${count === 0 ? 'Installationen der App können' : count === 1 ? 'Ihre 1 Installation kann' : `Ihre ${count} Installationen können`} nicht mehr nach Updates suchen. Das lässt sich nicht rückgängig machen.`,
  revokedToast: (name) => `${name} widerrufen`,
  delete: 'Löschen',
  deleteTitle: (name) => `${name} löschen?`,
  deleteText: (count) =>
    `${count === 0 ? 'Auch die Liste der Installationen wird gelöscht.' : `Für ${installs(count)} gibt es sofort keine Updates mehr, und die Liste der Installationen wird gelöscht.`} Das lässt sich nicht rückgängig machen.`,
  deleted: (name) => `${name} gelöscht`,
  installs: {
    title: 'Installationen',
    hint: 'Registrierte Installationen der App, neueste zuerst.',
    none: 'Noch keine Installationen. Bauen Sie Schlüssel und Geheimnis in Ihre App ein, installieren und öffnen Sie sie.',
    noneRevoked: 'Keine Installationen.',
    device: 'Gerät',
    build: 'Build',
    lastSeen: 'Zuletzt gesehen',
    enrolled: 'Registriert',
    lastReport: 'Letzte Meldung',
    unknown: 'unbekannt',
    id: 'Installations-ID',
    noReport: 'keine',
  },
  reportStates: {
    downloaded: 'Heruntergeladen',
    installed: 'Installiert',
    launched: 'Gestartet',
    failed: 'Fehlgeschlagen',
  },
};

export const projectTokens: Texts['projectTokens'] = {
  tab: 'Tokens',
  title: 'Zugriffstokens',
  hint: 'Für Buildserver und Skripte. Jedes Token gilt nur in diesem Projekt, höchstens mit der Rolle seines Besitzers.',
  create: 'Neues Token',
  emptyTitle: 'Noch keine Zugriffstokens',
  emptyText: 'Legen Sie eines für Ihren Buildserver an, damit er hochladen und freigeben kann.',
  role: 'Rolle',
  roleHints: {
    read: 'Builds, Kanäle und Freigaben ansehen.',
    read_download: 'Auch Pakete herunterladen.',
    read_download_upload: 'Auch Builds hochladen. Genug für einen Buildserver, der nur hochlädt.',
    maintainer: 'Auch freigeben, zurückrollen, Kanäle und Tester verwalten: für "taxiway upload --channel".',
    admin: 'Alles in diesem Projekt, auch Builds löschen.',
  },
  createdBy: (name) => `von ${name}`,
  formerMember: 'einem früheren Mitglied',
  created: 'angelegt',
  owner: (name) => `Besitzer: ${name}`,
  stopped: 'Gestoppt',
  limited: (role) => `Beschränkt auf ${role}`,
  limitedForAdmin:
    'Der Besitzer hat seine Rolle in diesem Projekt verloren. Übernehmen Sie das Token, damit Builds weiterlaufen. Erneuern Sie es außerdem, wenn er das Geheimnis kennt und nicht mehr nutzen soll.',
  limitedForOthers:
    'Der Besitzer hat seine Rolle in diesem Projekt verloren. Ein Projekt-Admin kann das Token übernehmen.',
  takeOver: 'Übernehmen',
  takenOver: (name) => `${name} gehört jetzt Ihnen`,
  secretTitle: 'Ihr Zugriffstoken',
  secretText: 'Speichern Sie es als Geheimnis auf Ihrem Buildserver.',
  command: 'In Ihrem CI-Job:',
  curl: 'Dasselbe mit curl',
  loginComment: 'TAXIWAY_TOKEN ist das access_token aus der Antwort von POST /api/v1/login',
};
