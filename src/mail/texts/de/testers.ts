// German texts of emails about the access of testers, and of replies to their feedback.
import { formatMailClock } from '../../dates.ts';
import { germanQuote } from '../../names.ts';
import type { TestedPlace, TesterMails, WayIn } from '../texts.ts';

const instructions: Record<WayIn, string> = {
  account:
    'Melden Sie sich mit dieser E-Mail-Adresse an, um die verfügbaren Builds zu sehen. Über neue Freigaben informieren wir Sie per E-Mail.',
  email_code:
    'Melden Sie sich mit dieser E-Mail-Adresse an, um die verfügbaren Builds zu sehen. Sie brauchen kein Passwort: Wählen Sie auf der Anmeldeseite „Code per E-Mail senden“.',
  sign_up:
    'Legen Sie ein Konto mit dieser E-Mail-Adresse an und bestätigen Sie sie, um die verfügbaren Builds zu sehen.',
  operator:
    'Wenn Ihre Organisation Single Sign-on verwendet, melden Sie sich darüber an, um die verfügbaren Builds zu sehen. Bitten Sie sonst den Betreiber des Servers um ein Konto mit dieser E-Mail-Adresse.',
};

function nameOf({ organizationName, projectName, channelName }: TestedPlace): string {
  const organization = germanQuote(organizationName);
  if (projectName === null) return `die Apps von ${organization}`;
  const project = `${germanQuote(projectName)} von ${organization}`;
  return channelName === null ? project : `${project}, Kanal ${germanQuote(channelName)}`;
}

export const testers: TesterMails = {
  grant: ({ inviterName, wayIn, ...place }) => ({
    subject: `Sie können ${nameOf(place)} testen`,
    paragraphs: [
      inviterName === null
        ? `Sie können jetzt ${nameOf(place)} auf Taxiway testen.`
        : `${germanQuote(inviterName)} lädt Sie ein, ${nameOf(place)} auf Taxiway zu testen.`,
      instructions[wayIn],
    ],
    button: 'Taxiway öffnen',
    closing: 'Wenn Sie nicht wissen, worum es geht, ignorieren Sie diese E-Mail.',
  }),
  accessRequests: ({ people, hasMore, ...place }) => {
    const isOne = people.length === 1 && !hasMore;
    const names = people.map(({ displayName, email }) => `${germanQuote(displayName)} (${email})`);
    return {
      subject: `${isOne ? 'Eine Person bittet' : 'Personen bitten'} um Zugriff auf ${nameOf(place)}`,
      paragraphs: [
        `${isOne ? 'Diese Person bittet' : 'Diese Personen bitten'} um Zugriff auf ${nameOf(place)}:`,
        `${names.join('\n')}${hasMore ? '\nund weitere' : ''}`,
        'Gewähren Sie den Zugriff auf der Seite des Kanals oder lehnen Sie ab.',
      ],
      button: 'Anfragen ansehen',
      closing: 'Sie erhalten diese E-Mail, weil Sie die Tester dieses Kanals verwalten.',
    };
  },
  accessGranted: (place) => ({
    subject: `Sie können ${nameOf(place)} testen`,
    paragraphs: [
      `Sie haben jetzt Zugriff auf ${nameOf(place)}.`,
      'Öffnen Sie den Link auf Ihrem Testgerät und melden Sie sich an, um zu installieren.',
    ],
    button: 'Installieren',
  }),
  channelInvitation: ({ inviterName, expiresAt, ...place }) => ({
    subject: `Einladung zum Testen: ${nameOf(place)}`,
    paragraphs: [
      `${inviterName === null ? 'Sie sind eingeladen' : `${germanQuote(inviterName)} lädt Sie ein`}, ${nameOf(place)} auf Taxiway zu testen.`,
      `Melden Sie sich mit dieser E-Mail-Adresse an und nehmen Sie die Einladung vor ${formatMailClock(expiresAt)} Uhr (UTC) an. Der Link funktioniert einmal.`,
    ],
    button: 'Einladung ansehen',
    closing: 'Wenn Sie keine Einladung erwarten, ignorieren Sie diese E-Mail.',
  }),
  feedbackReply: ({ projectName, authorName }) => ({
    subject: `Antwort auf Ihr Feedback zu ${germanQuote(projectName)}`,
    paragraphs: [
      `${authorName === null ? 'Das Team' : germanQuote(authorName)} hat auf Ihr Feedback zu ${germanQuote(projectName)} geantwortet:`,
    ],
    closing:
      'Um zu antworten, senden Sie dort erneut Feedback, wo Sie es gesendet haben. Antworten auf diese E-Mail werden möglicherweise nicht gelesen.',
  }),
};
