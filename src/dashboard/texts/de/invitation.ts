// Texts about invitations and roles, in German.
import type { Texts } from '../en.ts';

export const invitation: Texts['invitation'] = {
  title: (organization) => `${organization} beitreten`,
  toOrganization: (inviter, organization) =>
    `${inviter ?? 'Jemand'} hat Sie in die Organisation ${organization} eingeladen.`,
  toProject: (inviter, project, organization) =>
    `${inviter ?? 'Jemand'} hat Sie in das Projekt ${project} von ${organization} eingeladen.`,
  toChannel: (channel, project) => `Sie sind eingeladen, ${project} auf dem Kanal ${channel} zu testen.`,
  role: 'Ihre Rolle',
  expires: 'Läuft ab',
  pendingExpires: 'Läuft {time} ab',
  accept: 'Einladung annehmen',
  signedInAs: (email) => `Angemeldet als ${email}.`,
  useAnotherAccount: 'Anderes Konto verwenden',
  needsAccount:
    'Melden Sie sich an, oder registrieren Sie sich. Gilt die Einladung für eine E-Mail-Adresse, verwenden Sie diese.',
  signIn: 'Zum Annehmen anmelden',
  signUp: 'Zum Annehmen registrieren',
  projects: 'Projekte',
  isFor: (email) => `Die Einladung ist für ${email}.`,
  join: 'Beitreten',
  passkeyCanceled: 'Es wurde kein Passkey erstellt. Versuchen Sie es erneut, oder verwenden Sie ein Passwort.',
  also: (organizations) => `Sie treten auch ${organizations.join(', ')} bei. Dorthin sind Sie ebenfalls eingeladen.`,
  hasAccount: (email) => `${email} hat bereits ein Konto. Melden Sie sich zum Annehmen an.`,
  closed: (email) =>
    `Die Registrierung ist auf diesem Server deaktiviert. Melden Sie sich als ${email} an, oder bitten Sie den Betreiber um ein Konto.`,
  needsSso: (email) => `${email} meldet sich über den Identitätsanbieter dieser Organisation an.`,
  sso: 'Weiter zum Identitätsanbieter',
  orSignIn: 'Haben Sie schon ein Konto?',
  signInShort: 'Anmelden',
  pending: (count) => (count === 1 ? 'Ausstehende Einladung' : 'Ausstehende Einladungen'),
  acceptShort: 'Annehmen',
  acceptOf: (name) => `Einladung zu ${name} annehmen`,
  decline: 'Ablehnen',
  declineOf: (name) => `Einladung zu ${name} ablehnen`,
  declined: 'Einladung abgelehnt',
  invalidTitle: 'Diese Einladung funktioniert nicht mehr',
  invalid:
    'Sie wurde verwendet oder widerrufen, ist abgelaufen, oder der Link ist unvollständig. Haben Sie sie nicht angenommen, bitten Sie um eine neue.',
  refused: {
    title: 'Sie können diese Einladung nicht annehmen',
    text: 'Sie gilt für eine andere E-Mail-Adresse oder funktioniert nicht mehr. Bitten Sie um eine neue.',
  },
  locked: {
    title: 'Sie können gerade nicht beitreten',
    text: 'Die Organisation kann derzeit niemanden aufnehmen. Wenden Sie sich an die Person, die Sie eingeladen hat.',
  },
  accepted: 'Einladung angenommen',
  testerAccepted: {
    mailed: 'Sie können jetzt testen. Neue Versionen kündigt eine E-Mail an; öffnen Sie deren Link auf dem Telefon.',
    unmailed: 'Sie können jetzt testen. Öffnen Sie diese Seite zum Installieren auf dem Telefon.',
  },
};

export const roles: Texts['roles'] = {
  organization: { member: 'Mitglied', manager: 'Manager', admin: 'Admin' },
  organizationHints: {
    member: 'Sieht die Projekte, zu denen eine Einladung besteht',
    manager: 'Arbeitet in jedem Projekt, lädt Personen ein, verwaltet Tester',
    admin: 'Vollzugriff, einschließlich Anmelderichtlinie und Audit-Protokoll',
  },
  project: {
    read: 'Lesen',
    read_download: 'Lesen + Herunterladen',
    read_download_upload: 'Lesen + Herunterladen + Hochladen',
    maintainer: 'Maintainer',
    admin: 'Admin',
  },
};
