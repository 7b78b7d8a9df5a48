// The cleanup jobs by name. Their code is in the domains; sweeps.ts lists it. The web app describes what each does.

interface CleanupJobFacts {
  /** What the number of a run counts, if not deleted rows or objects. */
  result?: 'mailed' | 'read';
}

const facts = {
  'pending-uploads': {},
  'build-retention': {},
  'audit-retention': {},
  'mfa-reminders': { result: 'mailed' },
  invitations: {},
  sessions: {},
  exports: {},
  'account-deletions': {},
  'orphaned-objects': {},
  'stored-packages': { result: 'read' },
  deliveries: {},
  certificates: {},
  'expiry-warnings': { result: 'mailed' },
  reservations: {},
  billing: {},
  previews: {},
} as const satisfies Record<string, CleanupJobFacts>;

export type CleanupJobName = keyof typeof facts;

export const cleanupJobs: Readonly<Record<CleanupJobName, CleanupJobFacts>> = facts;

export const cleanupJobNames = Object.keys(facts) as [CleanupJobName, ...CleanupJobName[]];
