// The stored package details of a build, and their comparison with the declared values.
import type { App, ProjectContext } from '../core/context.ts';
import type { AndroidSigning, Inspection, IosSigning } from '../inspection/schema.ts';
import { contradictsPackage } from './build-number.ts';
import type { BuildInspection, Mismatch } from './schema.ts';
import { type BuildRow, findInspectionRow, findProjectFacts, loadBuild } from './store.ts';

/** Fields that earlier versions didn't record. */
type LaterField = 'parts' | 'libraries' | 'usage_descriptions' | 'needs_splits';
type LaterSigningField = 'verified_until_sdk';
type StoredSigning = Omit<AndroidSigning, LaterSigningField> & Partial<Pick<AndroidSigning, LaterSigningField>>;
type StoredInspection = Omit<Inspection, LaterField | 'signing'> &
  Partial<Pick<Inspection, LaterField>> & { signing: StoredSigning | IosSigning | null };

/** Returns the stored inspection of a build, or null if its archive could not be read. */
export function findInspection(app: Pick<App, 'db' | 'clock'>, buildId: string): Inspection | null {
  const content = findInspectionRow(app, buildId)?.content ?? null;
  if (content === null) return null;
  // This column is written only from an Inspection, of which older ones lack some fields.
  const stored = JSON.parse(content) as StoredInspection;
  const { signing } = stored;
  return {
    parts: null,
    libraries: null,
    usage_descriptions: null,
    needs_splits: null,
    ...stored,
    signing: signing && currentSigning(signing),
  };
}

function currentSigning(signing: StoredSigning | IosSigning): AndroidSigning | IosSigning {
  if (signing.platform === 'ios') {
    return {
      ...signing,
      created_at: currentMoment(signing.created_at),
      expires_at: currentMoment(signing.expires_at),
      certificate_expires_at: currentMoment(signing.certificate_expires_at),
    };
  }
  const certificates = signing.certificates.map((one) => ({ ...one, not_after: currentMoment(one.not_after) }));
  return { verified_until_sdk: null, ...signing, certificates };
}

/** Earlier versions stored times without milliseconds. */
const currentMoment = (text: string | null) => text && new Date(text).toISOString();

/** Returns the inspection in its API shape. */
export function readInspection(ctx: ProjectContext, id: string): BuildInspection {
  const row = loadBuild(ctx, ctx.project.id, id);
  const inspection = findInspection(ctx, id);
  const project = findProjectFacts(ctx, row.projectId);
  return {
    build_id: row.id,
    inspection_status: row.inspectionStatus,
    reason: findInspectionRow(ctx, id)?.reason ?? null,
    content: inspection,
    mismatches: inspection === null ? [] : findMismatches(row, project?.bundleIdentifier ?? null, inspection),
    warnings: inspection?.warnings ?? [],
  };
}

/** Returns declared values that contradict the archive. Missing values never contradict. */
function findMismatches(
  declared: Pick<BuildRow, 'bundleIdentifier' | 'versionName' | 'buildNumber'>,
  projectBundleIdentifier: string | null,
  found: Pick<Inspection, 'bundle_identifier' | 'version_name' | 'build_number'>,
): Mismatch[] {
  const isOther = contradictsPackage(declared.buildNumber, found.build_number);
  const pairs: [Mismatch['field'], string | null, string | null][] = [
    ['bundle_identifier', declared.bundleIdentifier, found.bundle_identifier],
    ['version_name', declared.versionName, found.version_name],
    ['build_number', String(declared.buildNumber), isOther ? found.build_number : null],
    ['project_bundle_identifier', projectBundleIdentifier, found.bundle_identifier],
  ];
  return pairs.flatMap(([field, said, read]) =>
    said === null || read === null || said === read ? [] : [{ field, declared: said, found: read }],
  );
}
