// Reads every stored package and compares it with its recorded size and checksum. Changes nothing.
import type Sqlite from 'better-sqlite3';
import { describeProblem } from '../builds/integrity.ts';
import type { PackageProblem } from '../builds/integrity-store.ts';
import { type RoutedStorage, StorageError } from '../core/storage.ts';
import { containerOf } from '../lib/storage-backends.ts';
import { digestObject } from '../storage/digest-object.ts';
import { hasIntegrity } from './packages.ts';

interface DamagedPackage {
  build: string;
  project: string;
  key: string;
  problem: PackageProblem;
  text: string;
}

export interface PackageVerdict {
  /** Packages that were read. */
  packages: number;
  bytes: number;
  /** Packages in containers of organizations, which aren't read: only the server has the credentials. */
  inContainers: number;
  /** Packages without a recorded checksum: only their size could be compared. */
  unrecorded: number;
  problems: DamagedPackage[];
  /** Problems beyond those that are listed. */
  unlisted: number;
}

interface Row {
  id: string;
  projectId: string;
  key: string;
  size: number;
  sha256: string | null;
}

type PackageStorage = Pick<RoutedStorage, 'head' | 'read' | 'placeOf'>;

const MAX_LISTED = 1_000;
const PAGE = 200;

const rowsWith = (sha256: string) =>
  `SELECT id, project_id AS projectId, object_key AS key, size_bytes AS size, ${sha256} AS sha256
    FROM builds WHERE id > ? ORDER BY id LIMIT ${PAGE}`;
const RECORDED_HASH = '(SELECT sha256 FROM package_integrity WHERE build_id = builds.id)';

/** Verifies all builds. Calls `onProgress` with the packages and bytes read so far after each page. */
export async function verifyPackages(
  client: Sqlite.Database,
  storage: PackageStorage,
  onProgress: (packages: number, bytes: number) => void = () => undefined,
): Promise<PackageVerdict> {
  const page = client.prepare<[string], Row>(rowsWith(hasIntegrity(client) ? RECORDED_HASH : 'NULL'));
  const verdict: PackageVerdict = { packages: 0, bytes: 0, inContainers: 0, unrecorded: 0, problems: [], unlisted: 0 };
  for (let rows = page.all(''); rows.length > 0; rows = page.all(rows.at(-1)?.id ?? '')) {
    for (const row of rows) await verifyOne(row);
    onProgress(verdict.packages, verdict.bytes);
  }
  return verdict;

  async function verifyOne(row: Row): Promise<void> {
    if (containerOf(storage.placeOf(row.key)) !== undefined) {
      verdict.inContainers += 1;
      return;
    }
    verdict.packages += 1;
    if (row.sha256 === null) verdict.unrecorded += 1;
    const problem = await judge(storage, row);
    if (problem !== 'missing') verdict.bytes += row.size;
    // The build may have been deleted since the page was read.
    const isThere =
      problem === undefined || client.prepare('SELECT 1 FROM builds WHERE id = ?').get(row.id) !== undefined;
    if (problem === undefined || !isThere) return;
    if (verdict.problems.length >= MAX_LISTED) verdict.unlisted += 1;
    else {
      const text = `the package ${describeProblem(problem)}`;
      verdict.problems.push({ build: row.id, project: row.projectId, key: row.key, problem, text });
    }
  }
}

async function judge(storage: PackageStorage, { key, size, sha256 }: Row): Promise<PackageProblem | undefined> {
  try {
    const head = await storage.head(key);
    if (head === undefined) return 'missing';
    if (head.size !== size) return 'size';
    // Packages without a checksum are read too, to find disk errors.
    const found = await digestObject(storage, key, size);
    return sha256 === null || found === sha256 ? undefined : 'content';
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    if (error.code === 'not_found') return 'missing';
    return error.code === 'changed' ? 'size' : 'unreadable';
  }
}
