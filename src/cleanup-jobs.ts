// The cleanup jobs by name, and what each does. Their code is in the domains; sweeps.ts lists it.
import type { Language } from './languages.ts';

interface CleanupJobFacts {
  /** Completes the sentence "This job …". */
  does: Record<Language, string>;
  /** What the number of a run counts, if not deleted rows or objects. */
  result?: 'mailed' | 'read';
}

const facts = {
  'pending-uploads': {
    does: { en: 'deletes uploads that were never completed', de: 'löscht Uploads, die nie abgeschlossen wurden' },
  },
  'build-retention': {
    does: {
      en: "deletes builds older than the plan's retention period",
      de: 'löscht Builds, die älter sind als die Aufbewahrungsfrist des Tarifs',
    },
  },
  'audit-retention': {
    does: {
      en: "deletes audit events older than the plan's retention period",
      de: 'löscht Audit-Ereignisse, die älter sind als die Aufbewahrungsfrist des Tarifs',
    },
  },
  'mfa-reminders': {
    does: {
      en: 'reminds members of required two-factor authentication',
      de: 'erinnert Mitglieder an die verlangte Zwei-Faktor-Authentifizierung',
    },
    result: 'mailed',
  },
  invitations: { does: { en: 'deletes expired invitations', de: 'löscht abgelaufene Einladungen' } },
  sessions: {
    does: {
      en: 'deletes expired sessions and links, and emails older than a month',
      de: 'löscht abgelaufene Sitzungen und Links sowie E-Mails, die älter als ein Monat sind',
    },
  },
  exports: {
    does: { en: 'deletes expired archives of personal data', de: 'löscht abgelaufene Archive persönlicher Daten' },
  },
  'account-deletions': {
    does: { en: 'deletes accounts whose grace period has ended', de: 'löscht Konten, deren Frist abgelaufen ist' },
  },
  'orphaned-objects': {
    does: {
      en: 'deletes stored files that no record refers to',
      de: 'löscht gespeicherte Dateien, auf die kein Datensatz verweist',
    },
  },
  'stored-packages': {
    does: {
      en: 'compares stored packages with their checksums',
      de: 'vergleicht gespeicherte Pakete mit ihren Prüfsummen',
    },
    result: 'read',
  },
  deliveries: { does: { en: 'deletes old webhook deliveries', de: 'löscht alte Webhook-Zustellungen' } },
  certificates: {
    does: { en: "renews the server's own certificates", de: 'erneuert die eigenen Zertifikate des Servers' },
  },
  'expiry-warnings': {
    does: {
      en: 'sends emails before profiles and certificates expire',
      de: 'sendet E-Mails, bevor Profile und Zertifikate ablaufen',
    },
    result: 'mailed',
  },
} as const satisfies Record<string, CleanupJobFacts>;

export type CleanupJobName = keyof typeof facts;

export const cleanupJobs: Readonly<Record<CleanupJobName, CleanupJobFacts>> = facts;

export const cleanupJobNames = Object.keys(facts) as [CleanupJobName, ...CleanupJobName[]];
