// Texts of the command palette and of the keyboard shortcuts, in German. English page names are search terms too.
import type { Texts } from '../en.ts';

export const palette: Texts['palette'] = {
  pages: 'Seiten',
  pagesOf: (project) => `In ${project}`,
  searching: 'Suche läuft …',
  noResults: (text) =>
    `Keine Ergebnisse für „${text}“. Sie können Projekte, Kanäle, Builds, Personen und Seiten suchen.`,
  shortcutsTitle: 'Tastenkürzel',
  shortcuts: {
    submit: 'Formular speichern oder Dialog bestätigen',
    undo: 'Rückgängig machen, was eine Meldung anzeigt',
    palette: 'Überallhin springen',
    keys: 'Tastenkürzel anzeigen',
    skip: 'Zum Inhalt springen, oben auf jeder Seite',
    move: 'Durch Listen und Menüs bewegen',
    close: 'Dialog oder Menü schließen',
  },
  or: 'oder',
  pageNames: {
    projects: { label: 'Projekte', words: 'projects start apps übersicht' },
    devices: { label: 'Geräte', words: 'devices handys telefone udid registrieren' },
    stores: { label: 'Stores', words: 'app store connect google play apple verbindungen plätze veröffentlichen' },
    testers: { label: 'Tester', words: 'testers einladen personen' },
    groups: { label: 'Testergruppen', words: 'groups teams' },
    webhooks: {
      label: 'Webhooks',
      words: 'zustellungen slack teams discord mattermost google chat benachrichtigungen',
    },
    members: { label: 'Mitglieder', words: 'members personen rollen einladen team' },
    billing: {
      label: 'Abrechnung',
      words: 'billing tarif guthaben zahlung karte nutzung kosten ausgabenlimit',
    },
    audit: { label: 'Protokoll', words: 'audit verlauf ereignisse csv' },
    expiring: { label: 'Läuft ab', words: 'expiring profile zertifikate' },
    settings: { label: 'Einstellungen', words: 'settings organisation name bild löschen' },
    security: { label: 'Sicherheit', words: 'security zwei-faktor 2fa mfa richtlinie einstellungen' },
    storage: { label: 'Speicher', words: 'azure container ort größe belegung einstellungen' },
    sso: { label: 'Single Sign-on', words: 'saml sso anmeldung domain einstellungen' },
    myApps: { label: 'Meine Apps', words: 'my apps installieren testen' },
    me: {
      label: 'Ihr Konto',
      words:
        'account profil passwort passkey sitzungen tokens e-mail benachrichtigungen export löschen aktivität zwei-faktor 2fa',
    },
    system: { label: 'System', words: 'betrieb zustand version festplatte aufträge sicherung bereinigung' },
    channels: { label: 'Kanäle', words: 'channels projekt freigaben' },
    builds: { label: 'Builds', words: 'versionen uploads' },
    feedback: { label: 'Feedback', words: 'rückmeldungen fehler meldungen' },
    projectTesters: { label: 'Projekttester', words: 'testers einladen personen' },
    sdk: { label: 'In-App-Updates', words: 'updates in der app sdk schlüssel installationen' },
    tokens: { label: 'Projekt-Tokens', words: 'project access tokens ci schlüssel' },
    projectSettings: { label: 'Projekteinstellungen', words: 'settings name bild mitglieder löschen' },
  },
};
