// Texts about the members of an organization or project, in German.

import { germanLifetime, INVITATION_LIFETIME_MS } from '../../../lib/lifetimes.ts';
import type { Texts } from '../en.ts';

export const people: Texts['people'] = {
  title: 'Mitglieder',
  members: 'Mitglieder',
  none: 'Noch keine Mitglieder.',
  projectHint: 'Manager und Admins der Organisation haben Zugriff auf jedes Projekt, ohne hier aufgeführt zu sein.',
  invitations: 'Ausstehende Einladungen',
  invite: 'Einladen',
  send: { mailed: 'Einladung senden', unmailed: 'Einladung erstellen' },
  email: 'E-Mail-Adresse',
  role: 'Rolle',
  roleOf: (name) => `Rolle von ${name}`,
  you: 'Sie',
  sent: { mailed: 'gesendet', unmailed: 'erstellt' },
  expires: 'läuft ab',
  resend: { mailed: 'E-Mail erneut senden', unmailed: 'Neuen Link erstellen' },
  resent: (email) => `Einladung erneut an ${email} gesendet`,
  resendTo: {
    mailed: (email) => `E-Mail erneut an ${email} senden`,
    unmailed: (email) => `Neuen Link für ${email} erstellen`,
  },
  revoke: 'Widerrufen',
  revokeOf: (email) => `Einladung an ${email} widerrufen`,
  revokeTitle: (email) => `Einladung an ${email} widerrufen?`,
  revokeEffect: 'Der Link funktioniert sofort nicht mehr.',
  invited: (email) => `Einladung an ${email} gesendet`,
  link: 'Einladungslink',
  linkTitle: (email) => `Einladung für ${email}`,
  linkText: (email) =>
    `Dieser Server verschickt keine E-Mails. Senden Sie ${email} diesen Link selbst. Die Einladung lässt sich nur mit dieser Adresse annehmen. Der Link wird einmal angezeigt und läuft in ${germanLifetime(INVITATION_LIFETIME_MS)} ab.`,
  lowerRole: 'Meine Rolle herabstufen',
  lowerRoleTitle: (role) => `Ihre Rolle in ${role} ändern?`,
  lowerRoleEffect: (role) => `Sie sind dann nicht mehr ${role} und können das nicht selbst rückgängig machen.`,
  leave: 'Verlassen',
  leaveTitle: 'Verlassen?',
  leaveEffect: 'Sie verlieren sofort den Zugriff. Für eine Rückkehr brauchen Sie eine neue Einladung.',
  removeOf: (name) => `${name} entfernen`,
  removeTitle: (name) => `${name} entfernen?`,
  removeEffect: (email) =>
    `${email} verliert sofort den Zugriff, und die zugehörigen Tokens funktionieren hier nicht mehr. Hochgeladenes bleibt.`,
};
