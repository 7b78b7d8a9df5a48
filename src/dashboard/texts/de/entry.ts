// The ways in, in German.
import type { Texts } from '../en.ts';

export const entry: Texts['entry'] = {
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  newPassword: 'Neues Passwort',
  displayName: 'Eigener Name',
  organizationName: 'Organisation',
  atLeast: (characters) => `Mindestens ${characters} Zeichen`,
  signIn: {
    title: 'Anmelden',
    submit: 'Anmelden',
    wrong: 'Adresse oder Passwort ist falsch.',
    passkey: 'Mit Passkey anmelden',
    passkeyFailed: 'Es wurde kein Passkey benutzt. Noch einmal versuchen oder mit Passwort anmelden.',
    sso: 'Weiter zum Identitätsanbieter',
    ssoHint: 'Die Organisation meldet sich über ihren Identitätsanbieter an.',
    forgot: 'Passwort vergessen?',
    left: {
      mailed: 'Das Konto ist gesperrt und wird gelöscht. Der Link in unserer E-Mail behält es.',
      unmailed:
        'Das Konto ist gesperrt und wird gelöscht. Um es zu behalten, fragen Sie den Betreiber des Servers nach dem Link: Dieser Server verschickt keine E-Mails.',
    },
    noAccount: 'Noch kein Konto?',
    signUp: 'Registrieren',
    or: 'oder',
  },
  second: {
    title: 'Noch ein Schritt',
    totp: 'Code aus der Code-App',
    recovery: 'Wiederherstellungscode',
    submit: 'Weiter',
    usePasskey: 'Passkey benutzen',
    useTotp: 'Code-App benutzen',
    useRecovery: 'Wiederherstellungscode benutzen',
    wrong: 'Dieser Code ist falsch oder schon benutzt.',
    startOver: 'Von vorn anfangen',
  },
  signUp: {
    title: 'Registrieren',
    submit: 'Konto anlegen',
    haveAccount: 'Schon ein Konto?',
    invitedOnly: 'Hier können sich nur Eingeladene registrieren, mit der Adresse, an die die Einladung ging.',
    closed: 'Hier kann sich niemand registrieren. Die Verwaltung legt Konten an.',
  },
  captcha: {
    title: 'Mensch oder Programm?',
    waiting: 'Bitte erst die Aufgabe oben lösen.',
    solved: 'Gelöst, danke.',
  },
  verify: {
    title: { mailed: 'E-Mail prüfen', unmailed: 'Adresse bestätigen' },
    text: {
      mailed: (email) =>
        `Wir haben einen Link an ${email} gesendet. Er bestätigt die Adresse; danach können Sie sich anmelden.`,
      unmailed: (email) =>
        `Dieser Server verschickt keine E-Mails. Fragen Sie den Betreiber nach dem Link, der ${email} bestätigt.`,
    },
    resend: { mailed: 'Erneut senden', unmailed: 'Neuer Link' },
    resent: {
      mailed:
        'Ist die Adresse noch nicht bestätigt, haben wir einen neuen Link gesendet, höchstens einen in fünf Minuten.',
      unmailed:
        'Ist die Adresse noch nicht bestätigt, kann der Betreiber einen neuen Link lesen, höchstens einen in fünf Minuten.',
    },
    signIn: 'Zur Anmeldung',
    wrongAddress: 'Andere Adresse nehmen',
  },
  reset: {
    title: 'Neues Passwort',
    text: {
      mailed: 'Wir senden Ihnen einen Link, mit dem Sie ein neues Passwort wählen.',
      unmailed:
        'Dieser Server verschickt keine E-Mails. Sein Betreiber kann den Link lesen, mit dem Sie ein neues Passwort wählen.',
    },
    submit: { mailed: 'Link senden', unmailed: 'Link erzeugen' },
    sentTitle: { mailed: 'E-Mail prüfen', unmailed: 'Betreiber fragen' },
    sent: {
      mailed: (email) => `Hat ${email} hier ein Konto, haben wir einen Link gesendet. Er gilt eine Stunde.`,
      unmailed: (email) =>
        `Hat ${email} hier ein Konto, kann der Betreiber des Servers einen Link für ein neues Passwort lesen. Er gilt eine Stunde.`,
    },
    signIn: 'Zurück zur Anmeldung',
  },
  setup: {
    title: 'Taxiway einrichten',
    text: 'Die erste Verwaltung und die Organisation anlegen, zu der die Builds gehören.',
    submit: 'Anlegen und anmelden',
    deadTitle: 'Dieser Einrichtungslink gilt nicht',
    dead: 'Er wurde benutzt, ist abgelaufen oder durch einen neueren ersetzt. Einen neuen gibt „taxiway setup-link“ auf dem Server aus.',
    pendingTitle: 'Dieser Server ist noch nicht eingerichtet',
    pending:
      'Registrieren ist erst möglich, wenn der Server eingerichtet ist. Öffnen Sie den Einrichtungslink aus der Ausgabe des Servers, im Terminal oder im Protokoll des Dienstes. Ein Link gilt 30 Minuten. Einen neuen gibt dieser Befehl auf dem Server aus:',
  },
  invitation: {
    title: (organization) => `${organization} beitreten`,
    toOrganization: (inviter, organization) => `${inviter ?? 'Jemand'} lädt in die Organisation ${organization} ein.`,
    toProject: (inviter, project, organization) =>
      `${inviter ?? 'Jemand'} lädt in das Projekt ${project} von ${organization} ein.`,
    toChannel: (channel, project) => `Eine Einladung, ${project} auf dem Kanal ${channel} zu testen.`,
    role: 'Rolle',
    until: 'Gilt bis',
    accept: 'Annehmen',
    signedInAs: (email) => `Angemeldet als ${email}.`,
    another: 'Anderes Konto benutzen',
    needsAccount: 'Bitte mit der Adresse anmelden oder registrieren, an die die Einladung ging.',
    signIn: 'Zum Annehmen anmelden',
    signUp: 'Zum Annehmen registrieren',
    deadTitle: 'Diese Einladung gilt nicht',
    dead: 'Sie wurde benutzt, zurückgenommen, ist abgelaufen oder unvollständig. Bitte um eine neue bitten.',
    accepted: 'Angenommen.',
    testerDone: {
      mailed: 'Sie können jetzt testen. Neue Versionen kündigt eine E-Mail an; öffnen Sie deren Link auf dem Telefon.',
      unmailed: 'Sie können jetzt testen. Öffnen Sie diese Seite zum Installieren auf dem Telefon.',
    },
  },
};

export const roles: Texts['roles'] = {
  organization: { member: 'Mitglied', manager: 'Leitung', admin: 'Verwaltung' },
  organizationHints: {
    member: 'Sieht die Projekte, in die eingeladen wurde',
    manager: 'Arbeitet in jedem Projekt, lädt ein, betreut Tester',
    admin: 'Alles, auch Anmelderegeln und Protokoll',
  },
  project: {
    read: 'Lesen',
    read_download: 'Lesen + Herunterladen',
    read_download_upload: 'Lesen + Herunterladen + Hochladen',
    maintainer: 'Betreuung',
    admin: 'Verwaltung',
  },
};
