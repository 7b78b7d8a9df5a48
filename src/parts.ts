// The long-lived parts of all domains, in the order in which they're opened and started.
import { auditHeadsOf } from './audit/chain-heads.ts';
import { backupRunnerOf } from './backup/runner.ts';
import { downloadMeterOf } from './billing/downloads.ts';
import { accountsAtStartOf } from './billing/lifecycle.ts';
import { filledVersionsOf } from './builds/version-keys.ts';
import { cloudOf } from './byosa/access.ts';
import { executablesOf } from './cli/executables.ts';
import type { Part } from './core/context.ts';
import { passwordsOf } from './developers/password.ts';
import { inspectorOf } from './inspection/run.ts';
import { oidcProvidersOf } from './oidc/providers.ts';
import { replicationWatchOf } from './replication/watch.ts';
import { samlReaderOf } from './saml/reader.ts';
import { installJournalOf } from './sdk/journal.ts';
import { storeStateOf } from './stores/state.ts';
import { backgroundFillsOf } from './system/background-fills.ts';
import { deliveryRunnerOf } from './webhooks/runner.ts';

export const parts = [
  accountsAtStartOf,
  downloadMeterOf,
  passwordsOf,
  inspectorOf,
  samlReaderOf,
  oidcProvidersOf,
  cloudOf,
  filledVersionsOf,
  installJournalOf,
  auditHeadsOf,
  storeStateOf,
  deliveryRunnerOf,
  backupRunnerOf,
  replicationWatchOf,
  executablesOf,
  backgroundFillsOf,
] as readonly Part<unknown>[];
