// Words of the palette and of the list of keys, in German. English names of pages are found as well.
import type { Texts } from '../en.ts';

export const palette: Texts['palette'] = {
  pages: 'Seiten',
  pagesOf: (project) => `In ${project}`,
  looking: 'Wird gesucht …',
  nothing: (text) => `Nichts heißt „${text}“. Projekte, Kanäle, Builds, Personen und Seiten werden am Namen erkannt.`,
  keysTitle: 'Tasten',
  keys: {
    palette: 'Überallhin springen',
    keys: 'Diese Tasten zeigen',
    skip: 'Zum Inhalt springen, oben auf jeder Seite',
    move: 'Durch Listen und Menüs gehen',
    close: 'Schließen, was offen ist',
  },
  or: 'oder',
  names: {
    projects: { label: 'Projekte', words: 'projects start apps übersicht' },
    devices: { label: 'Geräte', words: 'devices handys telefone udid registrieren' },
    testers: { label: 'Tester', words: 'testers einladen personen' },
    groups: { label: 'Testergruppen', words: 'groups teams' },
    webhooks: { label: 'Webhooks', words: 'zustellungen slack teams discord benachrichtigungen' },
    members: { label: 'Mitglieder', words: 'members personen rollen einladen team' },
    audit: { label: 'Protokoll', words: 'audit verlauf ereignisse csv' },
    expiring: { label: 'Ablaufendes', words: 'expiring profile zertifikate' },
    settings: { label: 'Einstellungen', words: 'settings organisation name bild löschen' },
    security: { label: 'Sicherheit', words: 'security zweiter faktor mfa einstellungen' },
    sso: { label: 'Single Sign-on', words: 'saml sso anmeldung domain einstellungen' },
    myApps: { label: 'Meine Apps', words: 'my apps installieren testen' },
    me: {
      label: 'Eigenes Konto',
      words: 'account profil passwort passkey sitzungen tokens mails export löschen aktivität',
    },
    system: { label: 'System', words: 'betrieb zustand version platte aufträge sicherung' },
    channels: { label: 'Kanäle', words: 'channels projekt veröffentlichungen' },
    builds: { label: 'Builds', words: 'versionen uploads' },
    projectTesters: { label: 'Tester des Projekts', words: 'testers einladen personen' },
    sdk: { label: 'Updates in der App', words: 'in-app updates sdk schlüssel installationen' },
    tokens: { label: 'Projekt-Tokens', words: 'project access tokens ci schlüssel' },
    projectSettings: { label: 'Einstellungen des Projekts', words: 'settings name bild mitglieder löschen' },
  },
};
