// German texts of emails about accounts.
import { CHANGE_LINK_MS, germanLifetime, RESET_LINK_MS, VERIFY_LINK_MS } from '../../../lib/lifetimes.ts';
import { germanDay } from '../../dates.ts';
import type { AccountMails } from '../texts.ts';

export const accounts: AccountMails = {
  verifyEmail: {
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    paragraphs: [
      'Mit dieser E-Mail-Adresse wurde ein Taxiway-Konto angelegt.',
      `Wenn Sie das waren, bestätigen Sie die Adresse. Der Link funktioniert einmal und läuft in ${germanLifetime(VERIFY_LINK_MS)} ab.`,
    ],
    button: 'E-Mail-Adresse bestätigen',
    closing:
      'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Bis die Adresse bestätigt ist, kann das Konto nur lesen.',
  },
  accountExists: (baseUrl) => ({
    subject: 'Sie haben bereits ein Konto',
    paragraphs: [
      `Jemand hat versucht, unter ${baseUrl} ein Konto mit dieser E-Mail-Adresse anzulegen. Sie hat aber bereits eines. Es wurde nichts geändert.`,
      'Wenn Sie das waren, melden Sie sich an, oder setzen Sie Ihr Passwort zurück, falls Sie es vergessen haben.',
    ],
    button: 'Anmelden',
    closing: 'Wenn Sie das nicht waren, müssen Sie nichts tun.',
  }),
  passwordReset: {
    subject: 'Setzen Sie Ihr Passwort zurück',
    paragraphs: [
      'Jemand hat angefordert, das Passwort Ihres Taxiway-Kontos zurückzusetzen.',
      `Wenn Sie das waren, legen Sie mit diesem Link ein neues Passwort fest. Er funktioniert einmal und läuft in ${germanLifetime(RESET_LINK_MS)} ab. Ein neues Passwort meldet Sie auf allen Geräten ab.`,
    ],
    button: 'Passwort zurücksetzen',
    closing: 'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Ihr Passwort bleibt unverändert.',
  },
  passwordChanged: (baseUrl) => ({
    subject: 'Ihr Passwort wurde geändert',
    paragraphs: [
      `Das Passwort Ihres Kontos unter ${baseUrl} wurde geändert, und alle anderen Sitzungen wurden beendet.`,
    ],
    closing: `Wenn Sie das nicht waren, setzen Sie Ihr Passwort sofort unter ${baseUrl}/reset zurück und prüfen Sie Ihre Sitzungen.`,
  }),
  changeEmail: {
    subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
    paragraphs: [
      'Jemand möchte diese E-Mail-Adresse für ein Taxiway-Konto verwenden.',
      `Wenn Sie das waren, bestätigen Sie sie. Der Link funktioniert einmal und läuft in ${germanLifetime(CHANGE_LINK_MS)} ab. Bis zur Bestätigung behält das Konto seine alte Adresse.`,
    ],
    button: 'E-Mail-Adresse bestätigen',
    closing: 'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail.',
  },
  emailChanged: (baseUrl) => ({
    subject: 'Ihre E-Mail-Adresse wurde geändert',
    paragraphs: [
      `Die E-Mail-Adresse Ihres Kontos unter ${baseUrl} wurde geändert. Mit dieser Adresse können Sie sich nicht mehr anmelden.`,
    ],
    closing: 'Wenn Sie das nicht waren, wenden Sie sich sofort an den Betreiber des Servers.',
  }),
  exportReady: (baseUrl, expiresAt) => ({
    subject: 'Ihr Datenexport ist fertig',
    paragraphs: [
      `Der Export Ihrer persönlichen Daten von ${baseUrl} ist fertig.`,
      `Melden Sie sich an und laden Sie ihn bis zum ${germanDay(expiresAt)} herunter.`,
    ],
    button: 'Konto öffnen',
    closing: 'Wenn Sie ihn nicht angefordert haben, ändern Sie Ihr Passwort und prüfen Sie Ihre Sitzungen.',
  }),
  deletionRequested: (dueAt) => ({
    subject: 'Ihr Konto wird gelöscht',
    paragraphs: [
      `Ihr Taxiway-Konto ist gesperrt und wird am ${germanDay(dueAt)} gelöscht.`,
      'Wenn Sie es sich anders überlegt haben oder das nicht waren, behalten Sie das Konto mit diesem Link. Er funktioniert einmal.',
    ],
    button: 'Konto behalten',
    closing: 'Wenn das Konto gelöscht werden soll, müssen Sie nichts tun.',
  }),
};
