// The order of the test files: those that take longest begin first, so that at the end no worker waits for the other.
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longer than their size suggests, the longest first. Vitest orders by earlier runs, which a clean checkout lacks. */
const longest = [
  'test/replication/joint-kill.test.ts',
  // The first one bundles the program. These two don't need it, so they run meanwhile.
  'test/core/removal-visibility.test.ts',
  'test/program/random-requests.test.ts',
  'test/crash/power-cut.test.ts',
  'test/crash/steps.test.ts',
  'test/crash/crash.test.ts',
  'test/crash/billing.test.ts',
  'test/crash/webhooks.test.ts',
  'test/crash/azure.test.ts',
  'test/crash/s3.test.ts',
  'test/crash/backup.test.ts',
  'test/testers/announcement-crash.test.ts',
  'test/replication/move.test.ts',
  'test/backup/backup.test.ts',
  'test/backup/restore.test.ts',
  'test/install/same-work.test.ts',
  'test/images/check.test.ts',
  'test/crash/storage-move.test.ts',
  'test/commands/process.test.ts',
  'test/data/health.test.ts',
  'test/core/removals.test.ts',
  'test/generated-client/generated-client.test.ts',
  'test/program/every-operation.test.ts',
  'test/program/contributing.test.ts',
  'test/sweeps/yielding.test.ts',
  'test/commands/own-name.test.ts',
  'test/testers/waiting-devices.test.ts',
  'test/storage/azure/server.test.ts',
  'test/commands/preview.test.ts',
  'test/tls/acme.test.ts',
  'test/data/damaged-database.test.ts',
  'test/data/background-fills.test.ts',
  'test/http/rate-limits.test.ts',
  'test/inspection/worker.test.ts',
  'test/commands/signals.test.ts',
  'test/backup/scheduled.test.ts',
  'test/crash/stop.test.ts',
  'test/devices/enrollment.test.ts',
  'test/sso/hostile.test.ts',
  'test/stores/hostile.test.ts',
  'test/tls/hostile-authority.test.ts',
  'test/pages/font.test.ts',
  'test/http/openapi-examples.test.ts',
  'test/http/connections.test.ts',
  'test/storage/move-objects.test.ts',
  'test/commands/source.test.ts',
  'test/storage/several-backends.test.ts',
  'test/program/states.test.ts',
  'test/commands/daily-uploads.test.ts',
  'test/cli/uploader.test.ts',
  'test/builds/integrity.test.ts',
  'test/storage/contract.test.ts',
  'test/e2e/docs-commands.test.ts',
  'test/e2e/docs-pages.test.ts',
  'test/e2e/dashboard/every-page.test.ts',
  'test/e2e/dashboard/flows.test.ts',
  'test/e2e/dashboard/stores.test.ts',
  'test/e2e/dashboard/daily-work.test.ts',
  'test/e2e/dashboard/frame.test.ts',
  'test/e2e/dashboard/rejections.test.ts',
  'test/e2e/dashboard/interruptions.test.ts',
  'test/e2e/dashboard/sdk-and-tokens.test.ts',
  'test/e2e/dashboard/testers.test.ts',
  'test/e2e/dashboard/signing-in.test.ts',
  'test/e2e/dashboard/proxy.test.ts',
  'test/e2e/dashboard/builds.test.ts',
  'test/e2e/dashboard/invitations.test.ts',
  'test/e2e/dashboard/uploads.test.ts',
  'test/e2e/dashboard/email-sign-in.test.ts',
  'test/e2e/install-states.test.ts',
  'test/e2e/dashboard/tour.test.ts',
  'test/e2e/dashboard/channel-use.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = longest.indexOf(relative(this.ctx.config.root, moduleId).replaceAll('\\', '/'));
      return place < 0 ? longest.length : place;
    };
    const sorted = await super.sort(specifications);
    return sorted.sort((one, other) => rank(one) - rank(other));
  }
}
