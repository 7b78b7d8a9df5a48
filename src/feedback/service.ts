// The rules for reading and answering feedback.

import { developerIdOf } from '../core/actor.ts';
import type { ProjectContext, Tx } from '../core/context.ts';
import { type Page, readPageTogether } from '../core/paging.ts';
import { removeRow } from '../core/removal.ts';
import { type Reply, reply } from '../http/reply.ts';
import type { ImageType } from '../images/limits.ts';
import { timestamp, timestampOrNull } from '../lib/clock.ts';
import { csvLine } from '../lib/csv.ts';
import { AppError } from '../lib/errors.ts';
import { startSteps } from '../lib/steps.ts';
import { claimMail, cooldownEnd, emailedTooOften } from '../mail/cooldowns.ts';
import { feedbackReplyMail } from '../mail/templates/testers.ts';
import { findOrganization } from '../organizations/store.ts';
import { loadProject } from '../projects/store.ts';
import { MAX_PER_PROJECT, MAX_REPLIES } from './limits.ts';
import type { ExportQuery, Feedback, FeedbackQuery, FeedbackState } from './schema.ts';
import * as store from './store.ts';

function toAll(ctx: ProjectContext, rows: readonly store.ListedFeedback[]): Feedback[] {
  const ids = rows.map(({ id }) => id);
  const pictures = Map.groupBy(store.listPictures(ctx, ids), ({ feedbackId }) => feedbackId);
  const replies = Map.groupBy(store.listReplies(ctx, ids), ({ feedbackId }) => feedbackId);
  const base = ctx.config.server.base_url;
  return rows.map((row) => ({
    identifier: row.id,
    project_id: row.projectId,
    source: row.source,
    state: row.state,
    text: row.text,
    author:
      row.developerId === null || row.author === null
        ? null
        : { developer_id: row.developerId, name: row.author.displayName, email: row.author.email },
    contact_email: row.contactEmail,
    can_reply: addressOf(row) !== null,
    channel_id: row.channelId,
    release_id: row.releaseId,
    build_id: row.buildId,
    version_name: row.versionName,
    build_number: row.buildNumber,
    device_model: row.deviceModel,
    os_version: row.osVersion,
    pictures: (pictures.get(row.id) ?? []).map((picture) => ({
      identifier: picture.id,
      url: `${base}/api/v1/projects/${row.projectId}/feedback/${row.id}/pictures/${picture.id}`,
      // Written only from checked images.
      type: picture.imageType as ImageType,
      width: picture.width,
      height: picture.height,
      size_bytes: picture.sizeBytes,
    })),
    replies: (replies.get(row.id) ?? []).map((one) => ({
      identifier: one.id,
      text: one.text,
      author_name: one.authorName,
      created_at: timestamp(one.createdAt),
    })),
    created_at: timestamp(row.createdAt),
    state_changed_at: timestampOrNull(row.stateChangedAt),
  }));
}

/** Returns where a reply goes: the verified address of the account, or the one that was entered. */
function addressOf({ author, contactEmail }: store.ListedFeedback): string | null {
  return author === null ? contactEmail : author.emailVerifiedAt === null ? null : author.email;
}

/** Returns a page of the project's feedback, newest first. */
export function listFeedback(ctx: ProjectContext, query: FeedbackQuery): Page<Feedback> {
  return readPageTogether(
    ctx,
    query,
    (before, limit) => store.listFeedback(ctx, ctx.project.id, query, before, limit),
    (rows) => toAll(ctx, rows),
  );
}

/** Returns feedback with its pictures and replies. Throws `not_found`. */
export function readFeedback(ctx: ProjectContext, id: string): Feedback {
  const [found] = toAll(ctx, [store.loadFeedback(ctx, ctx.project.id, id)]);
  // One row was converted.
  return found as Feedback;
}

/** Marks feedback as open or done. Does nothing if it already is. */
export function changeFeedback(ctx: ProjectContext, id: string, state: FeedbackState): Feedback {
  return ctx.transact((tx) => {
    const row = store.loadFeedback(tx, ctx.project.id, id);
    if (row.state !== state) {
      store.changeState(tx, id, state);
      record(ctx, tx, 'feedback.edited', row, { state: { from: row.state, to: state } });
    }
    return readFeedback({ ...ctx, ...tx }, id);
  });
}

/**
 * Sends a reply by email to the tester. Throws `operation_not_allowed` if no address is known, `quota_exceeded` after 50
 * replies, and `rate_limit_exceeded` if an address that nobody verified just got one.
 */
export function replyToFeedback(ctx: ProjectContext, id: string, text: string): Feedback {
  return ctx.transact((tx) => {
    const row = store.loadFeedback(tx, ctx.project.id, id);
    const to = addressOf(row);
    if (to === null) throw new AppError('operation_not_allowed', 'The tester left no address for replies');
    if (store.listReplies(tx, [id]).length >= MAX_REPLIES) {
      throw new AppError('quota_exceeded', `Feedback can have at most ${MAX_REPLIES} replies`, { limit: MAX_REPLIES });
    }
    // Otherwise anyone could have many emails sent to an address that they entered for someone else.
    if (row.author === null && !claimMail(tx, 'feedback_reply', to)) {
      const availableAt = cooldownEnd(tx, 'feedback_reply', to);
      throw emailedTooOften(tx, availableAt, 'This address just got a reply. You can send the next one');
    }
    const reply = {
      id: tx.ids.next(),
      feedbackId: id,
      developerId: developerIdOf(tx.actor),
      text: text.trim(),
      createdAt: tx.now,
    };
    store.insertReply(tx, reply);
    tx.mail({
      kind: 'feedback_reply',
      to,
      content: feedbackReplyMail({
        projectName: loadProject(tx, row.projectId).name,
        organizationName: findOrganization(tx, ctx.organization.id)?.name ?? '',
        authorName: tx.actor.kind === 'developer' ? tx.actor.displayName : null,
        reply: reply.text,
        // An address that nobody verified must not get text that someone else entered for it.
        feedback: row.author === null ? null : row.text,
      }),
    });
    record(ctx, tx, 'feedback.replied', row, {});
    return readFeedback({ ...ctx, ...tx }, id);
  });
}

/** Deletes feedback with its pictures and replies. Throws `not_found`. */
export function deleteFeedback(ctx: ProjectContext, id: string): void {
  ctx.transact(
    (tx) => {
      const row = store.loadFeedback(tx, ctx.project.id, id);
      removeRow(tx, 'feedback', id);
      record(ctx, tx, 'feedback.deleted', row, {});
    },
    { removes: true },
  );
}

const ROWS_PER_STEP = 100;
const COLUMNS = [
  ...['created_at', 'state', 'source', 'version_name', 'build_number', 'device_model', 'os_version'],
  ...['author_name', 'author_email', 'text', 'pictures', 'replies', 'identifier'],
];

/** Returns all feedback that matches as one file, newest first, at most as much as a project may have. */
export async function exportFeedback(ctx: ProjectContext, query: ExportQuery): Promise<Reply> {
  const isCsv = query.format === 'csv';
  const step = startSteps();
  // Encoded step by step: to encode all of it takes tenths of a second.
  const parts = [Buffer.from(isCsv ? csvLine(COLUMNS) : '[')];
  let count = 0;
  let before = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  while (count < MAX_PER_PROJECT) {
    const rows = store.listFeedback(ctx, ctx.project.id, query, before, ROWS_PER_STEP);
    const items = toAll(ctx, rows).map((item) => (isCsv ? toCsv(item) : JSON.stringify(item)));
    const separator = isCsv || count === 0 || items.length === 0 ? '' : ',\n';
    parts.push(Buffer.from(separator + items.join(isCsv ? '' : ',\n')));
    count += items.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_PER_STEP) break;
    before = last.id;
    await step();
  }
  const headers = {
    'content-disposition': `attachment; filename="feedback.${query.format}"`,
    'cache-control': 'no-store',
  };
  if (!isCsv) parts.push(Buffer.from(']'));
  return reply(isCsv ? 'text/csv; charset=utf-8' : 'application/json', Buffer.concat(parts), headers);
}

function toCsv(item: Feedback): string {
  return csvLine([
    ...[item.created_at, item.state, item.source, item.version_name, item.build_number],
    ...[item.device_model, item.os_version, item.author?.name ?? null, item.author?.email ?? item.contact_email],
    ...[item.text, String(item.pictures.length), String(item.replies.length), item.identifier],
  ]);
}

function record(
  { organization }: ProjectContext,
  tx: Tx,
  event: 'feedback.edited' | 'feedback.replied' | 'feedback.deleted',
  row: store.FeedbackRow,
  details: Record<string, unknown>,
): void {
  tx.record(event, {
    identifier: row.id,
    organizationId: organization.id,
    projectId: row.projectId,
    details: { source: row.source, version_name: row.versionName, build_number: row.buildNumber, ...details },
  });
}
