// Texts about setup, sign-in, sign-up, password resets and invitations, in German.

import { EMAIL_CODE_MS, germanLifetime, RESET_LINK_MS, SETUP_LINK_LIFETIME_MS } from '../../../lib/lifetimes.ts';
import type { Texts } from '../en.ts';

export const auth: Texts['auth'] = {
  unsentEmail: 'Der Betreiber kann die Nachricht auf dem Server lesen mit',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  newPassword: 'Neues Passwort',
  displayName: 'Ihr Name',
  organizationName: 'Organisation',
  passkeyCanceled: 'Es wurde kein Passkey verwendet. Versuchen Sie es erneut.',
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
    ssoTabHint:
      'Ihre Organisation verwendet Single Sign-on. Es öffnet sich in einem neuen Tab; diese Seite geht weiter, sobald Sie dort angemeldet sind.',
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
    waiting: 'Lösen Sie die Aufgabe oben, um fortzufahren.',
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
    createdTitle: 'Ihr Konto wurde angelegt',
    created: 'Melden Sie sich an, um fortzufahren.',
    organizationHint: 'Ohne Angabe nach Ihnen benannt. Sie können das später ändern.',
    invalidTitle: 'Dieser Einrichtungslink funktioniert nicht mehr',
    invalid:
      'Er wurde verwendet, ist abgelaufen oder wurde durch einen neueren ersetzt. Wenn der Server eingerichtet ist, melden Sie sich an. Führen Sie sonst „taxiway setup-link“ auf dem Server aus, um einen neuen zu erhalten.',
    pendingTitle: 'Dieser Server ist noch nicht eingerichtet',
    pending: `Öffnen Sie den Einrichtungslink aus der Ausgabe des Servers, im Terminal oder im Protokoll des Dienstes. Der Link läuft nach ${germanLifetime(SETUP_LINK_LIFETIME_MS)} ab. Einen neuen erhalten Sie mit diesem Befehl auf dem Server:`,
  },
};
