// The setup checklist of an organization: which steps are done, from facts. Only what no fact shows is stored.

import { networkInterfaces } from 'node:os';
import { sendsEmail } from '../config/sends-email.ts';
import { developerIdOf } from '../core/actor.ts';
import type { Context, DeveloperContext, OrganizationContext } from '../core/context.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { isLoopbackUrl } from '../lib/url-host.ts';
import { cooldownEnd, emailedTooOften, mailOnce } from '../mail/cooldowns.ts';
import { testMail } from '../mail/templates/organizations.ts';
import type { SetupChange, SetupState, SetupStepName } from './setup-schema.ts';
import * as store from './setup-store.ts';

/** Returns the steps that the caller can do. Steps and settings of the server are for operators. */
export function readSetup(ctx: OrganizationContext): SetupState {
  const organizationId = ctx.organization.id;
  const now = ctx.clock.time();
  const facts = store.readOrganizationFacts(ctx, organizationId, now);
  const isOperator = isOperatorOf(ctx);
  const { base_url: baseUrl } = ctx.config.server;
  const server: Partial<Record<SetupStepName, boolean>> = isOperator
    ? { address: !isLoopbackUrl(baseUrl), https: baseUrl.startsWith('https:'), email: hasSentMail(ctx) }
    : {};
  const done: Partial<Record<SetupStepName, boolean>> = {
    ...server,
    project: facts.hasProject,
    phone: facts.hasInstall,
    colleague: facts.hasColleague,
    ...(isOperator && { backup: store.isBackupConfirmed(ctx) }),
  };
  const steps = Object.entries(done).map(([name, isDone]) => ({ name: name as SetupStepName, is_done: isDone }));
  const developerId = developerIdOf(ctx.actor);
  return {
    is_dismissed: developerId !== null && store.hasMark(ctx, organizationId, developerId, 'dismissed'),
    is_complete: steps.every(({ is_done: isDone }) => isDone),
    steps,
    server: isOperator ? describeServer(ctx) : null,
  };
}

/** Changes what people decide themselves. Throws `not_found` for a backup that isn't the caller's to confirm. */
export function changeSetup(ctx: OrganizationContext, change: SetupChange): SetupState {
  const developerId = developerIdOf(ctx.actor);
  if (developerId === null) throw notFound();
  const organizationId = ctx.organization.id;
  const { is_dismissed: isDismissed, has_backup: hasBackup } = change;
  if (hasBackup !== undefined && !isOperatorOf(ctx)) throw notFound();
  ctx.transact(
    (tx) => {
      const row = { organizationId, developerId, createdAt: tx.now };
      if (isDismissed === true) store.insertMark(tx, { ...row, mark: 'dismissed' });
      if (isDismissed === false) store.deleteMark(tx, organizationId, developerId, 'dismissed');
      if (hasBackup === true) store.insertMark(tx, { ...row, mark: 'backup' });
      if (hasBackup === false) store.deleteBackupMarks(tx);
    },
    { bookkeeping: true },
  );
  return readSetup(ctx);
}

/**
 * Sends an email to the operator's own address. Throws `not_found` for other people, `operation_not_allowed` if the
 * server doesn't send email, and `rate_limit_exceeded` during the cooldown of the last one.
 */
export function sendTestEmail(ctx: DeveloperContext): { recipient: string } {
  if (!ctx.actor.isOperator) throw notFound();
  if (!sendsEmail(ctx.config)) {
    throw new AppError('operation_not_allowed', "This server doesn't send email. Set mail.transport to smtp");
  }
  const { email: recipient } = ctx.actor;
  ctx.transact(
    (tx) => {
      if (mailOnce(tx, 'test_email', recipient, () => testMail(tx.config.server.base_url))) return;
      const availableAt = cooldownEnd(tx, 'test_email', recipient);
      throw emailedTooOften(tx, availableAt, 'A test email was just sent. You can send the next one');
    },
    { bookkeeping: true },
  );
  return { recipient };
}

function isOperatorOf({ actor }: Context): boolean {
  return actor.kind === 'developer' && actor.isOperator;
}

function hasSentMail(ctx: Context): boolean {
  return sendsEmail(ctx.config) && store.wasMailSent(ctx);
}

function describeServer({ config }: Context): SetupState['server'] {
  const { base_url: baseUrl, tls, port, data_dir: dataDir } = config.server;
  return {
    base_url: baseUrl,
    suggested_base_url: isLoopbackUrl(baseUrl) ? suggestAddress(baseUrl) : null,
    tls_mode: tls.mode,
    port,
    mail_transport: config.mail.transport,
    data_dir: dataDir,
  };
}

/** Returns the base URL with an address of this machine in its network. */
function suggestAddress(baseUrl: string): string | null {
  const found = Object.values(networkInterfaces())
    .flat()
    .find((at) => at !== undefined && at.family === 'IPv4' && !at.internal);
  if (found === undefined) return null;
  const url = new URL(baseUrl);
  url.hostname = found.address;
  return url.href.replace(/\/$/, '');
}
