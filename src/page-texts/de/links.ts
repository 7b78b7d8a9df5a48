// German texts of the pages of links in emails about accounts.
import type { LinkTexts } from '../link-texts.ts';

export const links: LinkTexts = {
  pages: {
    verify_email: {
      title: 'E-Mail-Adresse bestätigen',
      text: 'Bestätigen Sie, dass diese Adresse Ihnen gehört und dass Sie das Konto angelegt haben.',
      button: 'E-Mail-Adresse bestätigen',
      done: {
        title: 'E-Mail-Adresse bestätigt',
        text: 'Sie können Ihr Konto jetzt verwenden und diese Seite schließen.',
      },
    },
    password_reset: {
      title: 'Neues Passwort festlegen',
      text: 'Ihr altes Passwort wird ersetzt, und Sie werden auf allen Geräten abgemeldet.',
      button: 'Passwort festlegen',
      done: {
        title: 'Passwort geändert',
        text: 'Melden Sie sich mit Ihrem neuen Passwort an. Sie können diese Seite schließen.',
      },
    },
    change_email: {
      title: 'Neue E-Mail-Adresse bestätigen',
      text: 'Ab jetzt melden Sie sich mit dieser Adresse anstelle der alten an.',
      button: 'E-Mail-Adresse bestätigen',
      done: {
        title: 'E-Mail-Adresse geändert',
        text: 'Melden Sie sich mit Ihrer neuen Adresse an. Sie können diese Seite schließen.',
      },
    },
    cancel_deletion: {
      title: 'Konto behalten',
      text: 'Ihr Konto ist gesperrt und wird gelöscht. Sie können die Löschung abbrechen.',
      button: 'Konto behalten',
      done: { title: 'Löschung abgebrochen', text: 'Sie können sich wieder anmelden und diese Seite schließen.' },
    },
  },
  dead: {
    title: 'Dieser Link funktioniert nicht',
    text: 'Er wurde bereits verwendet oder ersetzt, ist abgelaufen oder unvollständig. Fordern Sie einen neuen an.',
  },
  newPassword: 'Neues Passwort',
  passwordHint: (minimum) => `Mindestens ${minimum} Zeichen`,
  passwordProblem: (message) => {
    const [, bound, count] = /at (least|most) (\d+)/.exec(message) ?? [];
    if (bound === undefined) return 'Wählen Sie ein anderes Passwort, das schwerer zu erraten ist';
    return `${bound === 'least' ? 'Mindestens' : 'Höchstens'} ${count} Zeichen`;
  },
  signIn: 'Anmelden',
  review: {
    passwordSet: 'Ihr Passwort ist festgelegt',
    removed: 'Entfernt',
    kinds: {
      totp: 'Authenticator-App',
      recovery_codes: 'Wiederherstellungscodes',
      passkey: 'Passkey',
      personal_access_token: 'Persönliches Zugriffstoken',
    },
    text: () =>
      'Das wurde Ihrem Konto seit der letzten Anmeldung hinzugefügt, die sicher von Ihnen war. Entfernen Sie alles, was Sie nicht hinzugefügt haben. Damit kann man sich bei Ihrem Konto anmelden.',
    named: (kind, name) => `${kind} „${name}“`,
    added: (what, moment) => `${what}, hinzugefügt am ${moment} UTC`,
    remove: (kind, name) => `${name === null ? kind : `„${name}“`} entfernen`,
    removeAll: 'Alles entfernen',
    keep: (isOne) => (isOne ? 'Behalten' : 'Alles behalten'),
    done: {
      title: 'Prüfung abgeschlossen',
      text: 'Melden Sie sich mit Ihrem neuen Passwort an. Sie können diese Seite schließen.',
    },
    expired: {
      title: 'Diese Seite ist abgelaufen',
      text: 'Die Liste hat sich geändert oder ist abgelaufen. Setzen Sie Ihr Passwort noch einmal zurück, um die aktuelle zu sehen.',
    },
  },
};
