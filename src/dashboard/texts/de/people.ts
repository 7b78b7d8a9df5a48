// Texts about the members of an organization or project, in German.

import { germanLifetime, INVITATION_LIFETIME_MS } from '../../../lib/lifetimes.ts';
import type { Texts } from '../en.ts';

export const people: Texts['people'] = {
  search: {
    label: 'Name oder E-Mail suchen',
    found: (count) =>
      count === 0 ? 'Keine Treffer.' : count === 1 ? '1 Person gefunden' : `${count} Personen gefunden`,
    foundSoFar: (count) => `Bisher ${count === 1 ? '1 Person' : `${count} Personen`} gefunden`,
  },
  title: 'Mitglieder',
  members: 'Mitglieder',
  none: 'Noch keine Mitglieder.',
  projectHint: 'Manager und Admins der Organisation haben Zugriff auf jedes Projekt, ohne hier aufgeführt zu sein.',
  invitations: 'Einladungen',
  invite: 'Einladen',
  inviteTitle: 'Personen einladen',
  send: { mailed: 'Einladung senden', unmailed: 'Einladung erstellen' },
  sendMany: {
    mailed: (count) => `${count} Einladungen senden`,
    unmailed: (count) => `${count} Einladungen erstellen`,
  },
  emails: 'E-Mail-Adressen',
  emailsHint:
    'Trennen Sie mehrere durch Kommas oder Zeilenumbrüche. Auch „Name <Adresse>“ und CSV mit Kopfzeile lassen sich einfügen.',
  invalidAddresses: (some, total) =>
    `Keine E-Mail-Adresse: ${some.join(', ')}${total > some.length ? ` und ${total - some.length} weitere` : ''}`,
  tooManyAddresses: (count, most) => `Das sind ${count} Adressen. Laden Sie höchstens ${most} auf einmal ein.`,
  projects: 'Projekte',
  projectCount: (count) => (count === 1 ? '1 Projekt' : `${count} Projekte`),
  roleIn: (project) => `Rolle in ${project}`,
  progress: (done, total) => `${done} von ${total}`,
  results: 'Ergebnisse',
  resultsTitle: {
    mailed: (invited, total) => `${invited} von ${total} Personen eingeladen.`,
    unmailed: (invited, total) => `${invited} von ${total} Einladungen erstellt.`,
  },
  resultsLinks:
    'Dieser Server verschickt keine E-Mails. Senden Sie jeder Person ihren Link selbst. Die Links werden nur einmal angezeigt.',
  allLinks: 'Alle Links',
  linkOf: (email) => `Einladungslink für ${email}`,
  outcomes: {
    invited: { mailed: 'Eingeladen', unmailed: 'Link erstellt' },
    member: 'Bereits Mitglied',
    already: 'Bereits eingeladen',
    failed: 'Nicht eingeladen',
  },
  states: {
    declined: 'Abgelehnt',
    lapsed: 'Verfallen',
    emailFailed: 'E-Mail fehlgeschlagen',
    emailPending: 'E-Mail wird versendet',
  },
  lapsedReason:
    'Die Rolle der einladenden Person hat sich geändert, daher funktioniert die Einladung nicht mehr. Laden Sie erneut ein.',
  emailFailedHint:
    'Die E-Mail konnte nicht zugestellt werden. Prüfen Sie die Adresse. Beim erneuten Senden erhalten Sie auch einen Link für Personen mit Konto.',
  role: 'Rolle',
  roleOf: (name) => `Rolle von ${name}`,
  you: 'Sie',
  sent: { mailed: 'gesendet', unmailed: 'erstellt' },
  expires: 'läuft {time} ab',
  resend: { mailed: 'E-Mail erneut senden', unmailed: 'Neuen Link erstellen' },
  resent: (email) => `Einladung erneut an ${email} gesendet`,
  resendTo: {
    mailed: (email) => `E-Mail erneut an ${email} senden`,
    unmailed: (email) => `Neuen Link für ${email} erstellen`,
  },
  revoke: 'Widerrufen',
  revokeOf: (email) => `Einladung an ${email} widerrufen`,
  revokeTitle: (email) => `Einladung an ${email} widerrufen?`,
  revokeEffect: 'Der Link funktioniert sofort nicht mehr.',
  invited: (email) => `Einladung an ${email} gesendet`,
  link: 'Einladungslink',
  linkTitle: (email) => `Einladung für ${email}`,
  linkText: (email) =>
    `Dieser Server verschickt keine E-Mails. Senden Sie ${email} diesen Link selbst. Damit kann die Person ihr Konto erstellen und beitreten. Geben Sie den Link niemandem sonst. Der Link wird einmal angezeigt und läuft in ${germanLifetime(INVITATION_LIFETIME_MS)} ab.`,
  lowerRole: 'Meine Rolle herabstufen',
  lowerRoleTitle: (role) => `Ihre Rolle in ${role} ändern?`,
  lowerRoleEffect: (role) => `Sie sind dann nicht mehr ${role} und können das nicht selbst rückgängig machen.`,
  lowerRoleOfTitle: (name, role) => `Die Rolle von ${name} in ${role} ändern?`,
  changeRole: 'Rolle ändern',
  roleEnds:
    'Zugehörige Tokens und Links zum Teilen funktionieren nur noch, soweit die neue Rolle es erlaubt. Beitrittslinks und Einladungen, die sie nicht erlaubt, werden endgültig widerrufen.',
  ownRoleEnds:
    'Ihre Tokens und Links zum Teilen funktionieren nur noch, soweit die neue Rolle es erlaubt. Beitrittslinks und Einladungen, die sie nicht erlaubt, werden endgültig widerrufen.',
  leave: 'Verlassen',
  leaveTitle: 'Verlassen?',
  leaveEffect:
    'Sie verlieren sofort den Zugriff, und Ihre Tokens, Links zum Teilen, Beitrittslinks und Einladungen funktionieren hier nicht mehr. Für eine Rückkehr brauchen Sie eine neue Einladung.',
  removeOf: (name) => `${name} entfernen`,
  removeTitle: (name) => `${name} entfernen?`,
  removeEffect: (email) =>
    `${email} verliert sofort den Zugriff, und die zugehörigen Tokens, Links zum Teilen, Beitrittslinks und Einladungen funktionieren hier nicht mehr. Hochgeladenes bleibt.`,
};
