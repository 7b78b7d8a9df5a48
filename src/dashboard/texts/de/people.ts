// People, in German.
import type { Texts } from '../en.ts';

export const people: Texts['people'] = {
  title: 'Mitglieder',
  members: 'Mitglieder',
  projectHint: 'Leitung und Verwaltung der Organisation erreichen jedes Projekt, ohne hier zu stehen.',
  invitations: 'Offene Einladungen',
  invite: 'Einladen',
  send: 'Einladung senden',
  email: 'E-Mail-Adresse',
  role: 'Rolle',
  roleOf: (name) => `Rolle von ${name}`,
  you: 'selbst',
  sent: 'gesendet',
  ends: 'endet',
  resend: 'Noch einmal senden',
  resent: (email) => `Noch einmal an ${email} gesendet`,
  takeBack: 'Zurücknehmen',
  invited: (email) => `Eine Einladung an ${email} ist unterwegs`,
  leave: 'Verlassen',
  leaveTitle: 'Verlassen?',
  leaveEffect: 'Der Zugang endet sofort. Zurück geht es nur mit einer neuen Einladung.',
  removeTitle: (name) => `${name} entfernen?`,
  removeEffect: (email) => `${email} verliert sofort den Zugang, auch mit Tokens. Hochgeladenes bleibt.`,
};
