// German texts of emails about signing in.
import { EMAIL_CODE_MS, germanLifetime } from '../../../lib/lifetimes.ts';
import { germanTime } from '../../dates.ts';
import { germanQuote } from '../../names.ts';
import type { SecurityChange, SignInMails } from '../texts.ts';

const changes: Record<SecurityChange, string> = {
  mfa_enabled: 'Eine Authenticator-App wurde hinzugefügt',
  mfa_disabled: 'Die Authenticator-App wurde entfernt',
  recovery_codes_regenerated: 'Neue Wiederherstellungscodes wurden erstellt',
  recovery_codes_removed: 'Die Wiederherstellungscodes wurden entfernt',
  passkey_registered: 'Ein Passkey wurde hinzugefügt',
  passkey_removed: 'Ein Passkey wurde entfernt',
  factors_removed: 'Der Betreiber hat die Zwei-Faktor-Authentifizierung ausgeschaltet',
  personal_token_created: 'Ein persönliches Zugriffstoken wurde erstellt',
  personal_token_rotated: 'Ein persönliches Zugriffstoken wurde erneuert',
};

export const signIn: SignInMails = {
  code: (code) => ({
    subject: 'Ihr Anmeldecode',
    paragraphs: [
      `Ihr Code für die Anmeldung bei Taxiway lautet ${code}`,
      `Geben Sie ihn in dem Browser ein, in dem Sie ihn angefordert haben, oder öffnen Sie dort den Link. Beide funktionieren einmal und laufen in ${germanLifetime(EMAIL_CODE_MS)} ab.`,
    ],
    button: 'Anmelden',
    closing: 'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail und geben Sie den Code niemandem.',
  }),
  elsewhere: {
    subject: 'Melden Sie sich über Ihre Organisation an',
    paragraphs: [
      'Jemand hat einen Code für die Anmeldung bei Taxiway mit dieser E-Mail-Adresse angefordert.',
      'Wenn Sie das waren, melden Sie sich über den Identitätsanbieter Ihrer Organisation an, die das verlangt.',
    ],
    button: 'Anmelden',
    closing: 'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail.',
  },
  confirmationCode: (code) => ({
    subject: 'Ihr Bestätigungscode',
    paragraphs: [
      `Ihr Code zum Bestätigen einer Änderung an Ihrem Taxiway-Konto lautet ${code}`,
      `Er funktioniert einmal und läuft in ${germanLifetime(EMAIL_CODE_MS)} ab.`,
    ],
    closing:
      'Wenn Sie das nicht waren, geben Sie den Code niemandem. Jemand ist bei Ihrem Konto angemeldet: Legen Sie ein Passwort fest und prüfen Sie Ihre Sitzungen.',
  }),
  security: (baseUrl, { change, name, ipAddress, at }) => {
    const facts = [`Zeit: ${germanTime(at)}`, ...(ipAddress === null ? [] : [`IP-Adresse: ${ipAddress}`])];
    return {
      subject: changes[change],
      paragraphs: [
        `${changes[change]}${name === undefined ? '' : ` (${germanQuote(name)})`}: Ihr Konto unter ${baseUrl}.`,
        facts.join(' · '),
      ],
      closing: `Wenn Sie das nicht waren, setzen Sie Ihr Passwort sofort unter ${baseUrl}/reset zurück. Danach können Sie entfernen, was Ihrem Konto seit der letzten Anmeldung hinzugefügt wurde, die sicher von Ihnen war.`,
    };
  },
};
