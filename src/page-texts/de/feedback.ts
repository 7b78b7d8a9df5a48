// German texts of the page on which testers send feedback.
import type { FeedbackTexts } from '../feedback-texts.ts';

export const feedback: FeedbackTexts = {
  language: 'de',
  direction: 'ltr',
  pageTitle: (name) => `Feedback zu ${name}`,
  title: 'Feedback senden',
  about: (version) => `Zu Version ${version}.`,
  included: (hasAccount) =>
    hasAccount
      ? 'Das Team sieht auch Ihren Namen, Ihre E-Mail-Adresse sowie Art und Systemversion Ihres Geräts.'
      : 'Das Team sieht auch Art und Systemversion Ihres Geräts.',
  text: 'Was ist passiert?',
  textHint: 'Was Sie getan haben und was Sie erwartet hätten.',
  pictures: 'Bilder (optional)',
  picturesHint: (most, maxSize) => `Bis zu ${most} Bilder als PNG, JPEG oder WebP mit je bis zu ${maxSize}.`,
  email: 'E-Mail (optional)',
  emailHint: 'Für eine Antwort des Teams.',
  send: 'Senden',
  sent: { title: 'Vielen Dank', text: 'Das Team kann Ihr Feedback jetzt sehen.' },
  back: 'Zurück zur App',
  another: 'Weiteres Feedback senden',
  problems: {
    empty: 'Beschreiben Sie, was passiert ist.',
    too_long: (characters) => `Der Text darf höchstens ${characters} Zeichen haben.`,
    too_many_pictures: (most, maxSize) => `Wählen Sie höchstens ${most} Bilder mit je bis zu ${maxSize}.`,
    email: 'Das ist keine E-Mail-Adresse.',
    picture: 'Die Bilder müssen vollständige PNG-, JPEG- oder WebP-Bilder mit höchstens 4.096 Pixeln pro Seite sein.',
    too_often: 'Sie haben innerhalb einer Stunde viel gesendet. Versuchen Sie es später noch einmal.',
    full: 'Das Team kann zurzeit kein weiteres Feedback annehmen.',
  },
};
