// Texts about setup, sign-in, sign-up, password resets and invitations, in German.

import { EMAIL_CODE_MS, germanLifetime, RESET_LINK_MS, SETUP_LINK_LIFETIME_MS } from '../../../lib/lifetimes.ts';
import type { Texts } from '../en.ts';

export const auth: Texts['auth'] = {
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  newPassword: 'Neues Passwort',
  displayName: 'Ihr Name',
  organizationName: 'Organisation',
  atLeast: (characters) => `Mindestens ${characters} Zeichen`,
  signIn: {
    title: 'Anmelden',
    submit: 'Anmelden',
    incorrect: 'E-Mail-Adresse oder Passwort ist falsch.',
    passkey: 'Mit Passkey anmelden',
    passkeyFailed:
      'Die Anmeldung mit Passkey ist fehlgeschlagen. Versuchen Sie es erneut, oder verwenden Sie Ihr Passwort.',
    sso: 'Weiter zum Identitätsanbieter',
    ssoHint: 'Ihre Organisation verwendet Single Sign-on.',
    byEmail: 'Code per E-Mail senden',
    forgot: 'Passwort vergessen?',
    accountDeleted: {
      mailed: 'Ihr Konto ist gesperrt und wird gelöscht. Um es zu behalten, öffnen Sie den Link in unserer E-Mail.',
      unmailed:
        'Ihr Konto ist gesperrt und wird gelöscht. Dieser Server verschickt keine E-Mails: Um das Konto zu behalten, fragen Sie den Betreiber nach dem Link.',
    },
    noAccount: 'Noch kein Konto?',
    signUp: 'Registrieren',
    or: 'oder',
  },
  emailCode: {
    title: 'Prüfen Sie Ihre E-Mails',
    text: (email) =>
      `Falls ${email} hier ein Konto oder eine Einladung hat, haben wir einen Code geschickt. Er läuft in ${germanLifetime(EMAIL_CODE_MS)} ab. Sie können auch den Link in der E-Mail in diesem Browser öffnen.`,
    code: 'Code aus der E-Mail',
    submit: 'Anmelden',
    incorrect: 'Der Code ist falsch.',
    dead: 'Dieser Code funktioniert nicht mehr. Beginnen Sie neu, um einen anderen zu erhalten.',
    startOver: 'Neu beginnen',
  },
  emailLink: {
    text: 'Melden Sie sich mit dem Link aus Ihrer E-Mail an.',
    otherBrowser:
      'Dieser Link funktioniert in dem Browser, in dem Sie ihn angefordert haben. Öffnen Sie ihn dort, oder geben Sie dort den Code aus der E-Mail ein.',
    dead: 'Dieser Link funktioniert nicht: Er wurde bereits verwendet, ist abgelaufen oder unvollständig.',
    startOver: 'Zurück zur Anmeldung',
  },
  twoFactor: {
    title: 'Zwei-Faktor-Authentifizierung',
    totp: 'Code aus Ihrer Authenticator-App',
    recovery: 'Wiederherstellungscode',
    submit: 'Weiter',
    usePasskey: 'Passkey verwenden',
    useTotp: 'Authenticator-App verwenden',
    useRecovery: 'Wiederherstellungscode verwenden',
    incorrect: 'Der Code ist falsch oder wurde bereits verwendet.',
    startOver: 'Neu beginnen',
  },
  signUp: {
    title: 'Registrieren',
    submit: 'Konto anlegen',
    haveAccount: 'Sie haben bereits ein Konto?',
    invitedOnly: 'Die Registrierung ist nur mit Einladung möglich. Verwenden Sie die eingeladene E-Mail-Adresse.',
    closed: 'Die Registrierung ist deaktiviert. Bitten Sie einen Admin um ein Konto.',
  },
  captcha: {
    title: 'Bestätigen Sie, dass Sie ein Mensch sind',
    waiting: 'Lösen Sie die Aufgabe unten, um fortzufahren.',
    solved: 'Bestätigt.',
  },
  verify: {
    title: { mailed: 'Prüfen Sie Ihre E-Mails', unmailed: 'E-Mail-Adresse bestätigen' },
    text: {
      mailed: (email) =>
        `Wir haben einen Link an ${email} gesendet. Öffnen Sie ihn, um die Adresse zu bestätigen, und melden Sie sich dann an.`,
      unmailed: (email) =>
        `Dieser Server verschickt keine E-Mails. Fragen Sie den Betreiber nach dem Link, der ${email} bestätigt.`,
    },
    resend: { mailed: 'E-Mail erneut senden', unmailed: 'Neuen Link erstellen' },
    resent: {
      mailed:
        'Wenn die Adresse noch nicht bestätigt ist, haben wir einen neuen Link gesendet. Das geht nur alle paar Minuten.',
      unmailed:
        'Wenn die Adresse noch nicht bestätigt ist, kann der Betreiber einen neuen Link lesen. Das geht nur alle paar Minuten.',
    },
    signIn: 'Zurück zur Anmeldung',
    useAnotherAddress: 'Andere Adresse verwenden',
  },
  reset: {
    title: 'Passwort zurücksetzen',
    text: {
      mailed: 'Wir senden Ihnen einen Link, mit dem Sie ein neues Passwort wählen.',
      unmailed:
        'Dieser Server verschickt keine E-Mails. Sein Betreiber kann den Link lesen, mit dem Sie ein neues Passwort wählen.',
    },
    submit: { mailed: 'Link senden', unmailed: 'Link erstellen' },
    sentTitle: { mailed: 'Prüfen Sie Ihre E-Mails', unmailed: 'Fragen Sie den Betreiber' },
    sent: {
      mailed: (email) =>
        `Wenn ${email} hier ein Konto hat, haben wir einen Link gesendet. Er läuft in ${germanLifetime(RESET_LINK_MS)} ab.`,
      unmailed: (email) =>
        `Wenn ${email} hier ein Konto hat, kann der Betreiber des Servers einen Link für ein neues Passwort lesen. Er läuft in ${germanLifetime(RESET_LINK_MS)} ab.`,
    },
    signIn: 'Zurück zur Anmeldung',
  },
  setup: {
    title: 'Taxiway einrichten',
    text: 'Legen Sie das erste Admin-Konto und eine Organisation für Ihre Builds an.',
    submit: 'Anlegen und anmelden',
    organizationHint: 'Ohne Angabe nach Ihnen benannt. Sie können das später ändern.',
    invalidTitle: 'Dieser Einrichtungslink funktioniert nicht mehr',
    invalid:
      'Er wurde verwendet, ist abgelaufen oder wurde durch einen neueren ersetzt. Führen Sie „taxiway setup-link“ auf dem Server aus, um einen neuen zu erhalten.',
    pendingTitle: 'Dieser Server ist noch nicht eingerichtet',
    pending: `Öffnen Sie den Einrichtungslink aus der Ausgabe des Servers, im Terminal oder im Protokoll des Dienstes. Der Link läuft nach ${germanLifetime(SETUP_LINK_LIFETIME_MS)} ab. Einen neuen erhalten Sie mit diesem Befehl auf dem Server:`,
  },
  invitation: {
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
    needsAccount: 'Melden Sie sich mit der eingeladenen E-Mail-Adresse an, oder registrieren Sie sich damit.',
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
      'Sie wurde verwendet oder widerrufen, ist abgelaufen, oder der Link ist unvollständig. Bitten Sie um eine neue.',
    accepted: 'Einladung angenommen',
    testerAccepted: {
      mailed: 'Sie können jetzt testen. Neue Versionen kündigt eine E-Mail an; öffnen Sie deren Link auf dem Telefon.',
      unmailed: 'Sie können jetzt testen. Öffnen Sie diese Seite zum Installieren auf dem Telefon.',
    },
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
