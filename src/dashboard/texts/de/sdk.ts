// Words about SDK apps and about access tokens of a project.
import type { Texts } from '../en.ts';

const installs = (count: number) => (count === 1 ? '1 Installation' : `${count} Installationen`);

export const sdk: Texts['sdk'] = {
  tab: 'SDK',
  title: 'SDK-Apps',
  hint: 'Mit einer davon findet eine App auf dem Telefon die Freigaben eines Kanals von selbst.',
  create: 'Neue SDK-App',
  edit: 'Bearbeiten',
  editTitle: (name) => `${name} bearbeiten`,
  emptyTitle: 'Noch keine SDK-Apps',
  emptyText:
    'Eine anlegen und ihren Schlüssel und ihr Geheimnis in die App einbauen: Dann kann die App ihre Updates selbst anbieten.',
  emptyReader: 'Wer das Projekt betreut, kann eine anlegen.',
  noChannels: 'Eine SDK-App folgt einem Kanal, und es gibt noch keinen. Bitte erst einen anlegen.',
  toChannels: 'Zu den Kanälen',
  name: 'Name',
  nameHint: 'Wie sich die App bei denen nennt, die sie benutzen.',
  channel: 'Folgt dem Kanal',
  channelMoves: (count) =>
    count === 0
      ? undefined
      : `Ein anderer Kanal nimmt ${count === 1 ? 'ihre 1 Installation' : `ihre ${count} Installationen`} mit der nächsten Anfrage mit.`,
  unknownChannel: 'ein Kanal, den es nicht mehr gibt',
  key: 'App-Schlüssel',
  keyHint: 'Öffentlich. Er steckt in der App und reist in der Kopfzeile X-Svc-App-Key.',
  identifier: 'Id der SDK-App',
  details: 'Einzelheiten',
  installCount: installs,
  created: 'angelegt',
  createdLabel: 'Angelegt',
  by: 'von',
  rotated: 'Geheimnis erneuert',
  revoked: 'Widerrufen',
  revokedText: 'Keine ihrer Installationen bekommt noch Antwort. Widerrufen',
  all: 'Alle SDK-Apps',
  secretTitle: (name) => `Das Geheimnis von ${name}`,
  secretText:
    'Es gehört zusammen mit dem Schlüssel in die App. Damit melden sich Kopien der App an, und es öffnet nichts als die Freigaben des Kanals.',
  tryIt: 'So meldet sich eine App an:',
  howItGoesOn:
    'Mit dem Update-Token der Antwort fragt sie nach der neuesten Freigabe und lädt sie. Alle Anfragen stehen in der',
  rotate: 'Neues Geheimnis',
  rotateTitle: (name) => `Neues Geheimnis für ${name}?`,
  rotateText: (count) =>
    count === 0
      ? 'Kopien der App mit dem alten Geheimnis können sich nicht mehr anmelden.'
      : `Kopien der App mit dem alten Geheimnis können sich nicht mehr anmelden. Was angemeldet ist (${installs(count)}), bleibt es, solange es sein Token erneuert.`,
  revoke: 'Widerrufen',
  revokeTitle: (name) => `${name} widerrufen?`,
  revokeText: (count) =>
    `${count === 0 ? 'Keine Kopie der App' : `Keine ihrer ${count} Installationen`} bekommt noch Antwort, ab jetzt und endgültig.`,
  revokedToast: (name) => `${name} ist widerrufen`,
  delete: 'Löschen',
  deleteTitle: (name) => `${name} löschen?`,
  deleteText: (count) =>
    `${count === 0 ? 'Sie verschwindet' : `Sofort Schluss ist für ${installs(count)}; sie verschwindet`} mit der Liste ihrer Installationen. Das lässt sich nicht rückgängig machen.`,
  deleted: (name) => `${name} ist gelöscht`,
  installs: {
    title: 'Installationen',
    hint: 'Kopien der App, die sich angemeldet haben, die neuesten zuerst.',
    none: 'Noch hat sich keine Kopie der App angemeldet. Schlüssel und Geheimnis einbauen, die App installieren und starten.',
    noneRevoked: 'Keine Kopie der App hatte sich angemeldet.',
    device: 'Gerät',
    runs: 'Läuft mit',
    seen: 'Zuletzt gesehen',
    enrolled: 'Angemeldet',
    report: 'Letzte Meldung',
    unknown: 'nicht gesagt',
    id: 'Id der Installation',
    nothing: 'keine',
  },
  reportStates: { downloaded: 'Geladen', installed: 'Installiert', launched: 'Gestartet', failed: 'Fehlgeschlagen' },
};

export const projectTokens: Texts['projectTokens'] = {
  tab: 'Tokens',
  title: 'Zugangstokens',
  hint: 'Für Buildserver und Skripte. Jedes wirkt nur in diesem Projekt, höchstens mit der Rolle seines Besitzers.',
  create: 'Neues Token',
  emptyTitle: 'Noch keine Zugangstokens',
  emptyText: 'Eines für den Buildserver anlegen, damit er hochladen und freigeben kann.',
  role: 'Es darf',
  roleHints: {
    read: 'Builds, Kanäle und Freigaben sehen.',
    read_download: 'Auch Pakete laden.',
    read_download_upload: 'Auch Builds hochladen. Genug für einen Buildserver, der nur hochlädt.',
    maintainer: 'Auch freigeben, zurückgehen, Kanäle und Tester verwalten: für "taxiway upload --channel".',
    admin: 'Alles in diesem Projekt, auch Builds löschen.',
  },
  createdBy: (name) => `von ${name}`,
  gone: 'einem früheren Mitglied',
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
  secretTitle: 'Das Zugangstoken',
  secretText: 'Es gehört zu den Geheimnissen des Buildservers.',
  command: 'Im Job des Buildservers:',
  curl: 'Dasselbe nur mit curl',
  loginComment: 'TAXIWAY_TOKEN ist das access_token, das POST /api/v1/login antwortet',
};
