// German texts of error pages.
import type { ErrorTexts } from '../error-texts.ts';

export const errors: ErrorTexts = {
  statuses: {
    401: { title: 'Anmeldung erforderlich', text: 'Melden Sie sich an, um diese Seite zu öffnen.' },
    402: {
      title: 'Derzeit nicht verfügbar',
      text: 'Wenden Sie sich an die Person, die Ihnen den Link geschickt hat.',
    },
    403: {
      title: 'Kein Zugriff',
      text: 'Der Link ist möglicherweise abgelaufen. Bitten Sie die Person, die ihn geschickt hat, um einen neuen.',
    },
    404: {
      title: 'Seite nicht gefunden',
      text: 'Die Adresse ist möglicherweise falsch, oder die Seite wurde entfernt. Auch ein Link kann abgelaufen sein. Bitten Sie die Person, die ihn geschickt hat, um einen neuen.',
    },
    405: { title: 'Diese Adresse kann nicht geöffnet werden', text: 'Sie ist nur für Programme bestimmt.' },
    413: { title: 'Zu groß', text: 'Die Anfrage ist größer, als der Server erlaubt.' },
    429: { title: 'Zu viele Anfragen', text: 'Von Ihnen oder anderen in Ihrem Netzwerk kamen zu viele Anfragen.' },
    503: {
      title: 'Dienst nicht verfügbar',
      text: 'Versuchen Sie es in einigen Minuten erneut.',
    },
  },
  broken: {
    title: 'Serverfehler',
    text: 'Versuchen Sie es in einigen Minuten erneut. Wenn der Fehler weiterhin auftritt, senden Sie dem Betreiber des Servers die Anfrage-ID.',
  },
  refused: { title: 'Anfrage fehlgeschlagen', text: 'Der Server konnte diese Anfrage nicht verarbeiten.' },
  wait: (when) => `Versuchen Sie es ${when} erneut.`,
  tryAgain: 'Erneut versuchen',
  requestId: 'Anfrage-ID',
  home: 'Startseite',
  signIn: 'Anmelden',
};
