// A local package: its size, SHA-256 and identity.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { deriveBuildNumber } from '../../builds/build-number.ts';
import { type InspectionOutcome, inspectPackage } from '../../inspection/inspect.ts';
import { describeUnreadable, Refusal, UsageError } from '../../lib/failure.ts';
import type { Platform } from '../../platforms.ts';

export interface PackageFile {
  readonly path: string;
  readonly name: string;
  readonly size: number;
}

export interface PackageIdentity {
  version_name: string;
  /** Given or derived; undefined to use the next free number of the project. */
  build_number: number | undefined;
  /** The bundle identifier of the build. */
  bundle_identifier: string | undefined;
  /** Whether version and build number are those of the package, which the server reads too. */
  isOwn: boolean;
  /** The values in the package, which options can replace. */
  own: { build_number: string | null; bundle_identifier: string | undefined };
}

/** The values given on the command line. Missing ones are read from the package. */
export interface StatedIdentity {
  versionName?: string | undefined;
  buildNumber?: string | undefined;
  bundleIdentifier?: string | undefined;
}

/** Returns size and name of a regular file. Throws Refusal for anything else. */
export async function openPackage(path: string): Promise<PackageFile> {
  const size = await withFile(path, async (file) => {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Refusal(`${path} is not a file`);
    return stat.size;
  });
  if (size === 0) throw new Refusal(`${path} is empty`);
  return { path, name: basename(path), size };
}

/** Returns the SHA-256 of a file in lower-case hex, read as a stream. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk);
  } catch (error) {
    throw new Refusal(describeUnreadable(path, error));
  }
  return hash.digest('hex');
}

/**
 * Returns version, number and bundle identifier of the build. Throws Refusal for a package of another platform, before
 * anything is sent.
 */
export async function identifyBuild(
  file: PackageFile,
  platform: Platform,
  stated: StatedIdentity,
): Promise<PackageIdentity> {
  const outcome = await inspectFile(file, platform);
  if (outcome.status === 'rejected') throw new Refusal(`${file.name} cannot be uploaded here: ${outcome.reason}`);
  const found = outcome.status === 'ok' ? outcome.inspection : undefined;
  if (stated.versionName?.trim() === '') throw new UsageError('--version-name must not be empty');
  const versionName = stated.versionName ?? found?.version_name;
  if (outcome.status === 'unreadable' && (versionName === undefined || stated.buildNumber === undefined)) {
    throw new Refusal(
      `${file.name} cannot be read: ${outcome.reason} To upload it anyway, set --version-name and --build-number.`,
    );
  }
  if (versionName === undefined || versionName === null || versionName === '') {
    throw new Refusal(`${file.name} has no version name. Set one with --version-name.`);
  }
  return {
    version_name: versionName,
    build_number: readStatedNumber(stated.buildNumber) ?? deriveBuildNumber(found?.build_number),
    bundle_identifier: stated.bundleIdentifier ?? found?.bundle_identifier,
    isOwn: found !== undefined && stated.versionName === undefined && stated.buildNumber === undefined,
    own: { build_number: found?.build_number ?? null, bundle_identifier: found?.bundle_identifier },
  };
}

function readStatedNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw new UsageError(`--build-number must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`);
}

function inspectFile(file: PackageFile, platform: Platform): Promise<InspectionOutcome> {
  return withFile(file.path, (handle) =>
    inspectPackage({ size: file.size, read: (offset, length) => readExactly(handle, offset, length) }, platform),
  );
}

async function readExactly(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled);
    if (bytesRead === 0) throw new Refusal('the file was truncated while it was read');
    filled += bytesRead;
  }
  return buffer;
}

async function withFile<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'r').catch((error: unknown) => {
    throw new Refusal(describeUnreadable(path, error));
  });
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}
