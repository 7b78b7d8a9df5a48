// German texts of the pages about rejected messages of an identity provider.
import type { SsoTexts } from '../sso-texts.ts';

export const sso: SsoTexts = {
  login: {
    title: 'Anmeldung fehlgeschlagen',
    text: 'Die Antwort des Identitätsanbieters wurde abgelehnt. Melden Sie sich erneut an.',
  },
  logout: {
    title: 'Abmeldung fehlgeschlagen',
    text: 'Die Abmeldenachricht des Identitätsanbieters wurde abgelehnt. Prüfen Sie, ob Sie noch angemeldet sind.',
  },
  reasons: {
    denied:
      'Der Identitätsanbieter hat den Zugriff verweigert. Bitten Sie dessen Administrator, Sie dieser Anwendung zuzuweisen.',
    not_signed_in: 'Sie müssen sich zuerst beim Identitätsanbieter anmelden. Melden Sie sich erneut an.',
    later: 'Der Identitätsanbieter ist nicht erreichbar. Versuchen Sie es später erneut.',
    misconfigured:
      'Der Identitätsanbieter hat die Anfrage dieses Servers abgelehnt. Bitten Sie einen Admin Ihrer Organisation, Single Sign-on zu prüfen.',
    locked:
      'Sie sind noch kein Mitglied dieser Organisation, und solange sie gesperrt ist, kann niemand beitreten. Wenden Sie sich an einen ihrer Admins.',
  },
  help: 'Wenn das erneut geschieht, wenden Sie sich an einen Admin Ihrer Organisation. Er kann den Grund sehen.',
  signIn: 'Erneut anmelden',
};
