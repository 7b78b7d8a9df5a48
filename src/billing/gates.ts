// What stops uploads and downloads because of money. A gate and its reservation are one transaction
// (docs/specification/billing.md#gates). With billing off, nothing here reads or writes.
import type { Context, PackageMove, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { SUMS_AT } from '../data/tables/tables.ts';
import { MINUTE } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { containerOf, isServerBackend, type ObjectPlace } from '../lib/storage-backends.ts';
import { findContainer } from '../storage/azure/container-store.ts';
import { type Account, findAccount, findMetered, findRow, isSuspended, useAccount } from './accounts.ts';
import { costOfDownload, costOfStorage, toCents, UCENTS } from './costs.ts';
import { addDownloadedBytes, changeLevels, meteredTime, recountBytes } from './meters.ts';
import { findPrices } from './price-lists.ts';
import { addReservation, deleteExpired, releaseReservation, takeOffReservation } from './reservations.ts';
import { type PresentUse, readPresentUse } from './usage.ts';

/**
 * The sums of all reservations, which triggers keep, so that a gate doesn't add up what is reserved; and the sums and number of
 * those that are included although they have expired, because the cleanup job hasn't deleted them yet. Its plan is kept as in
 * data/database.ts.
 */
const reservedSums = prepared((db) =>
  db.$client
    .prepare<[{ organizationId: string; now: number }], [use: number, refunds: number, expired: number]>(
      `SELECT ${sumOf('download')} + ${sumOf('upload')}
            - coalesce(sum(CASE WHEN kind = 'refund' THEN 0 ELSE amount_ucents END), 0),
          ${sumOf('refund')} - coalesce(sum(CASE WHEN kind = 'refund' THEN amount_ucents ELSE 0 END), 0), count(*)
        FROM reservations
        WHERE organization_id = +@organizationId AND kind IN ('download', 'refund', 'upload') AND expires_at <= +@now`,
    )
    .raw(),
);

function sumOf(kind: 'download' | 'upload' | 'refund'): string {
  return `coalesce((SELECT amount_ucents FROM reservations WHERE organization_id = +@organizationId AND kind = '${kind}'
    AND expires_at = ${SUMS_AT} AND subject_id = +@organizationId), 0)`;
}

const reservedForUpload = prepared((db) =>
  db.$client
    .prepare<[string, string, number], number>(
      `SELECT amount_ucents FROM reservations
        WHERE kind <> 'download' AND kind = 'upload' AND subject_id = +? AND organization_id = ? AND expires_at > ?`,
    )
    .pluck(),
);

/** Expired reservations that a new one removes. */
const EXPIRED_PER_RESERVATION = 20;

/** The money of an organization now, in millionths of a cent. */
export interface Funds extends PresentUse {
  balance: bigint;
  /** Set aside for uploads, downloads and refunds. */
  reserved: bigint;
  /** Of that, for uploads and downloads. */
  reservedUse: bigint;
  available: bigint;
  cap: number | null;
  /** Whether reservations have expired that aren't deleted yet. */
  hasExpired: boolean;
}

/** Returns the money of an organization. The upload `except` counts as available. */
export function readFunds(ctx: Pick<Context, 'db' | 'clock' | 'clockGuard'>, account: Account, except = ''): Funds {
  const { organizationId } = account;
  const now = ctx.clock.time();
  // The meters of a paused account stand still.
  const use = readPresentUse(ctx, organizationId, account.pausedAt === null ? meteredTime(ctx) : 0);
  const { reserved, reservedUse, hasExpired } = readReserved(ctx, organizationId, now, except);
  const balance = BigInt(account.balanceCents) * UCENTS;
  return {
    ...use,
    balance,
    reserved: BigInt(reserved),
    reservedUse: BigInt(reservedUse),
    hasExpired,
    available: balance - use.openCost - BigInt(reserved),
    cap: effectiveCap(account),
  };
}

function readReserved(
  ctx: Pick<Context, 'db'>,
  organizationId: string,
  now: number,
  except: string,
): { reserved: number; reservedUse: number; hasExpired: boolean } {
  const [use, refunds, expired] = reservedSums(ctx).get({ organizationId, now }) ?? [0, 0, 0];
  const own = except === '' ? 0 : (reservedForUpload(ctx).get(except, organizationId, now) ?? 0);
  return { reserved: use + refunds - own, reservedUse: use - own, hasExpired: expired > 0 };
}

/** The lower one of the organization's own limit and the operator's. */
export function effectiveCap(account: {
  monthlyCapCents: number | null;
  accountCeilingCents: number | null;
}): number | null {
  const limits = [account.monthlyCapCents, account.accountCeilingCents].filter((limit) => limit !== null);
  return limits.length === 0 ? null : Math.min(...limits);
}

/** Throws `prepaid_credit_exhausted` or `spend_cap_exceeded` if something can't be paid. */
function requireFunds({ available, cap, monthCost, reservedUse }: Funds, projected: bigint): void {
  if (available <= 0n || available < projected) throw new AppError('prepaid_credit_exhausted');
  if (cap === null) return;
  const used = monthCost + reservedUse;
  const limit = BigInt(cap) * UCENTS;
  if (used >= limit || used + projected > limit) throw new AppError('spend_cap_exceeded');
}

function reserve(tx: Tx, { hasExpired }: Funds, wanted: Parameters<typeof addReservation>[1]): void {
  // Keeps the expired ones few that the next gate subtracts.
  if (hasExpired) deleteExpired(tx, wanted.organizationId, EXPIRED_PER_RESERVATION);
  addReservation(tx, wanted);
}

/** Whether an organization stores its packages in a container of its own. It passes the gates. */
export function hasOwnStorage({ storage }: Pick<Context, 'storage'>, organizationId: string): boolean {
  return containerOf(storage.placeForNew(organizationId)) !== undefined;
}

/** Whether the server's storage has an object, so that its bytes are metered. */
function isHosted({ storage }: Pick<Context, 'storage'>, key: string): boolean {
  return isServerBackend(storage.placeOf(key));
}

// ---- uploads -------------------------------------------------------------------------------------------------------------

/** Admits an upload and sets aside what its largest package costs for 30 days. */
export function reserveUpload(
  tx: Tx,
  { id, organizationId, expiresAt }: { id: string; organizationId: string; expiresAt: number },
): void {
  if (!tx.config.billing.enabled || hasOwnStorage(tx, organizationId)) return;
  const funds = readFunds(tx, useAccount(tx, organizationId));
  const bytes = BigInt(tx.config.limits.build_size_bytes);
  const projected = costOfStorage(bytes, funds.present.month, funds.prices);
  requireFunds(funds, projected);
  reserve(tx, funds, { kind: 'upload', organizationId, subjectId: id, ucents: projected, expiresAt });
}

interface CompletedUpload {
  organizationId: string;
  uploadId: string;
  bytes: number;
  /** Its key, before or after it is moved. */
  key: string;
}

/** Throws if a completed upload can't be paid, without changing anything. */
export function checkBuildFunds(ctx: Context, upload: CompletedUpload): void {
  if (!ctx.config.billing.enabled) return;
  const account = findRow(ctx, upload.organizationId);
  if (account !== undefined && account.pausedAt === null) requireBuildFunds(ctx, account, upload);
}

function requireBuildFunds(
  ctx: Context,
  account: Account,
  { organizationId, uploadId, bytes, key }: CompletedUpload,
): void {
  if (hasOwnStorage(ctx, organizationId) || !isHosted(ctx, key)) return;
  const funds = readFunds(ctx, account, uploadId);
  requireFunds(funds, costOfStorage(BigInt(bytes), funds.present.month, funds.prices));
}

/** Admits a completed upload, whose own reservation it uses, and starts to meter its bytes. */
export function admitBuild(tx: Tx, upload: CompletedUpload): void {
  if (!tx.config.billing.enabled) return;
  const { organizationId, uploadId, bytes, key } = upload;
  requireBuildFunds(tx, useAccount(tx, organizationId), upload);
  releaseUpload(tx, uploadId);
  if (isHosted(tx, key)) changeLevels(tx, organizationId, { bytes });
}

/** Releases what was set aside for an upload. */
export function releaseUpload(tx: Tx, uploadId: string): void {
  if (tx.config.billing.enabled) releaseReservation(tx, 'upload', uploadId);
}

/** Ends the metering of a build's bytes. The caller deletes its row afterwards. */
export function forgetStoredBytes(
  tx: Tx,
  { organizationId, bytes, key }: { organizationId: string; bytes: number; key: string },
): void {
  if (!tx.config.billing.enabled || !isHosted(tx, key)) return;
  // Meters that start here count the build too.
  if (findMetered(tx, organizationId) !== undefined) changeLevels(tx, organizationId, { bytes: -bytes });
}

/** Starts or ends the metering of a package that was moved to or from the container of its organization. */
export function meterMovedPackage(tx: Tx, { organizationId, bytes, from, to }: PackageMove): void {
  if (!isMetered(tx, organizationId) || isServerBackend(from) === isServerBackend(to)) return;
  changeLevels(tx, organizationId, { bytes: isServerBackend(to) ? bytes : -bytes });
}

/** Counts the bytes of an organization again, some of whose packages turned out to be in another place than recorded. */
export function recountAfterCorrection(ctx: Context, from: ObjectPlace, to: ObjectPlace): void {
  const id = containerOf(isServerBackend(from) ? to : from);
  const organizationId = id === undefined ? undefined : findContainer(ctx, id)?.organizationId;
  if (organizationId == null || isServerBackend(from) === isServerBackend(to)) return;
  ctx.transact(
    (tx) => {
      if (isMetered(tx, organizationId)) recountBytes(tx, organizationId);
    },
    { bookkeeping: true },
  );
}

/** Meters that begin later count what is there then. */
function isMetered(tx: Tx, organizationId: string): boolean {
  if (!tx.config.billing.enabled) return false;
  const account = findAccount(tx, organizationId);
  return account !== undefined && account.pausedAt === null && !account.isDeleted;
}

// ---- downloads -----------------------------------------------------------------------------------------------------------

interface Download {
  organizationId: string;
  sizeBytes: number;
}

/** A link for a download whose bytes are metered. */
export interface BilledLink extends Download {
  reservationId: string;
  /** When the link expires. */
  expiresAt: number;
}

/** How long a reservation outlives its link. */
const GRACE_MS = 2 * MINUTE;

/** Whether the bytes of a download are metered. */
export function isBilledDownload(
  ctx: Pick<Context, 'config' | 'storage'>,
  { objectKey }: { objectKey: string },
): boolean {
  return ctx.config.billing.enabled && isHosted(ctx, objectKey);
}

/** Throws if a download can't be paid, without a reservation. */
export function checkDownloadFunds(ctx: Context, download: Download & { objectKey: string }): void {
  if (!isBilledDownload(ctx, download)) return;
  const account = findRow(ctx, download.organizationId);
  if (account !== undefined && account.pausedAt === null) requireDownloadFunds(ctx, account, download);
}

/**
 * Returns what a download costs at most, and the funds for it. Undefined for organizations whose downloads are only metered: those
 * that are suspended, and those with a container of their own.
 */
function requireDownloadFunds(
  ctx: Context,
  account: Account,
  { organizationId, sizeBytes }: Download,
): { projected: bigint; funds: Funds } | undefined {
  if (isSuspended(account) || hasOwnStorage(ctx, organizationId)) return undefined;
  const funds = readFunds(ctx, account);
  const projected = costOfDownload(BigInt(sizeBytes), funds.prices);
  requireFunds(funds, projected);
  return { projected, funds };
}

/** Returns the key of what a link sets aside. */
function keyOfLink({ organizationId, reservationId, expiresAt }: Omit<BilledLink, 'sizeBytes'>) {
  return { organizationId, subjectId: reservationId, expiresAt: expiresAt + GRACE_MS };
}

/**
 * Admits a download from the server's storage, and sets aside what it costs until its link has expired.
 */
export function reserveDownload(tx: Tx, link: BilledLink): void {
  const admitted = requireDownloadFunds(tx, useAccount(tx, link.organizationId), link);
  if (admitted === undefined || admitted.projected === 0n) return;
  reserve(tx, admitted.funds, { ...keyOfLink(link), kind: 'download', ucents: admitted.projected });
}

/** Meters bytes that were sent for a link, and takes their cost off its reservation. */
export function meterDownload(tx: Tx, link: Omit<BilledLink, 'sizeBytes'>, bytes: number): void {
  if (findMetered(tx, link.organizationId) === undefined) return;
  const { priceListId } = addDownloadedBytes(tx, link.organizationId, bytes);
  takeOffReservation(tx, keyOfLink(link), costOfDownload(BigInt(bytes), findPrices(tx, priceListId)));
}

/** Amounts that people see are rounded down to cents. */
export function shownFunds({ balance, openCost, reserved, available, monthCost }: Funds) {
  return {
    balance_cents: toCents(balance - openCost),
    reserved_cents: toCents(reserved),
    available_cents: toCents(available),
    month_to_date_cents: toCents(monthCost),
  };
}
