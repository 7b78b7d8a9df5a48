// German texts of the page of a join link.
import type { JoinTexts } from '../join-texts.ts';

export const join: JoinTexts = {
  invitation: (project, organization, channel) => ({
    title: `${project} testen`,
    text: `${organization} lädt Sie ein, diese App zu installieren und zu testen. Sie erhalten die Builds des Kanals ${channel}.`,
  }),
  signIn: 'Melden Sie sich an, um beizutreten.',
  signInOrUp: 'Melden Sie sich an oder erstellen Sie ein Konto, um beizutreten.',
  createAccount: 'Konto erstellen',
  whoSees: (email) => `Sie sind als ${email} angemeldet. Das Team sieht Ihren Namen und Ihre E-Mail-Adresse.`,
  join: 'Beitreten',
  dead: {
    title: 'Dieser Link funktioniert nicht mehr',
    text: 'Er ist abgelaufen, wurde widerrufen, wurde bereits von allen vorgesehenen Personen verwendet oder ist unvollständig. Lassen Sie sich vom Team einen neuen geben.',
  },
  wrongDomain: (email, domain) => ({
    title: 'Andere E-Mail-Adresse erforderlich',
    text: `Dieser Link funktioniert nur für Adressen unter ${domain}. Sie sind als ${email} angemeldet.`,
  }),
  removed: (email) => ({
    title: 'Sie können mit diesem Link nicht beitreten',
    text: `Das Team hat den Zugriff von ${email} entfernt, nachdem es diesen Link erstellt hat. Lassen Sie sich vom Team einen neuen geben.`,
  }),
  locked: {
    title: 'Der Beitritt ist derzeit nicht möglich',
    text: 'Die Organisation kann derzeit keine Tester hinzufügen. Behalten Sie den Link und versuchen Sie es später erneut.',
  },
};
