// What differs between two builds of a project.
import { isDeepStrictEqual } from 'node:util';
import type { ProjectContext } from '../core/context.ts';
import type { Inspection, IosSigning, Library } from '../inspection/schema.ts';
import { timestamp } from '../lib/clock.ts';
import { displayBuildNumber } from './build-number.ts';
import { type BuildComparison, MAX_LISTED } from './compare-schema.ts';
import { findInspection } from './inspections.ts';
import { type BuildRow, loadBuild } from './store.ts';

type SetChange = NonNullable<BuildComparison['permissions']>;

/**
 * Compares a build with another one of the same project, the one before it. Throws `not_found` for builds of other projects.
 * Reads two rows of inspections, whose lists are limited.
 */
export function compareBuilds(ctx: ProjectContext, afterId: string, beforeId: string): BuildComparison {
  const after = loadBuild(ctx, ctx.project.id, afterId);
  const before = loadBuild(ctx, ctx.project.id, beforeId);
  const [now, then] = [findInspection(ctx, after.id), findInspection(ctx, before.id)];
  const both = now !== null && then !== null ? ([then, now] as const) : null;
  const profiles = both && profilesOf(...both);
  return {
    before: describe(before, then),
    after: describe(after, now),
    size_change_bytes: after.sizeBytes - before.sizeBytes,
    min_os_version: { before: before.minOsVersion, after: after.minOsVersion },
    target_sdk: { before: then?.target_sdk ?? null, after: now?.target_sdk ?? null },
    permissions: both && compareSets(both[0].permissions, both[1].permissions),
    entitlements: profiles && compareEntitlements(...profiles),
    certificates: both && compareCertificates(...both),
    profile:
      profiles &&
      compareValues(profiles, (signing) => ({
        name: signing.profile_name,
        kind: signing.kind,
        team_id: signing.team_id,
        expires_at: signing.expires_at,
      })),
    devices:
      profiles?.every((signing) => signing.provisioned_devices.length > 0) === true
        ? compareSets(profiles[0].provisioned_devices, profiles[1].provisioned_devices)
        : null,
    libraries: both && compareLibraries(both[0].libraries, both[1].libraries),
  };
}

function describe(row: BuildRow, inspection: Inspection | null): BuildComparison['before'] {
  return {
    identifier: row.id,
    version_name: row.versionName,
    build_number: row.buildNumber,
    display_build_number: displayBuildNumber(row),
    size_bytes: row.sizeBytes,
    uploaded_at: timestamp(row.uploadedAt),
    inspection_status: row.inspectionStatus,
    parts: inspection?.parts ?? null,
  };
}

function profilesOf(before: Inspection, after: Inspection): [IosSigning, IosSigning] | null {
  const isProfile = (signing: Inspection['signing']) => signing?.platform === 'ios';
  return isProfile(before.signing) && isProfile(after.signing)
    ? [before.signing as IosSigning, after.signing as IosSigning]
    : null;
}

function compareValues<Name extends string>(
  [before, after]: [IosSigning, IosSigning],
  read: (signing: IosSigning) => Record<Name, string | null>,
): Record<Name, { before: string | null; after: string | null }> {
  const [then, now] = [read(before), read(after)];
  const names = Object.keys(then) as Name[];
  return Object.fromEntries(names.map((name) => [name, { before: then[name], after: now[name] }])) as ReturnType<
    typeof compareValues<Name>
  >;
}

function compareSets(before: readonly string[], after: readonly string[]): SetChange {
  const [then, now] = [new Set(before), new Set(after)];
  const added = [...now].filter((name) => !then.has(name)).sort();
  const removed = [...then].filter((name) => !now.has(name)).sort();
  return {
    added: added.slice(0, MAX_LISTED),
    removed: removed.slice(0, MAX_LISTED),
    added_count: added.length,
    removed_count: removed.length,
  };
}

function compareEntitlements(before: IosSigning, after: IosSigning): BuildComparison['entitlements'] {
  const [then, now] = [before.entitlements, after.entitlements];
  const changed = Object.keys(now)
    .filter((name) => Object.hasOwn(then, name) && !isDeepStrictEqual(then[name], now[name]))
    .sort();
  return {
    ...compareSets(Object.keys(then), Object.keys(now)),
    changed: changed.slice(0, MAX_LISTED),
    changed_count: changed.length,
  };
}

function compareCertificates(before: Inspection, after: Inspection): SetChange | null {
  const [then, now] = [before.signing, after.signing];
  if (then?.platform !== 'android' || now?.platform !== 'android') return null;
  const hashesOf = (signing: typeof then) => signing.certificates.map(({ sha256 }) => sha256);
  return compareSets(hashesOf(then), hashesOf(now));
}

function compareLibraries(before: Library[] | null, after: Library[] | null): BuildComparison['libraries'] {
  if (before === null || after === null) return null;
  const then = new Map(before.map(({ name, version }) => [name, version]));
  const changed = after.flatMap(({ name, version }) => {
    const old = then.get(name);
    return old === undefined || old === version ? [] : [{ name, before: old, after: version }];
  });
  const namesOf = (libraries: Library[]) => libraries.map(({ name }) => name);
  return {
    ...compareSets(namesOf(before), namesOf(after)),
    changed: changed.slice(0, MAX_LISTED),
    changed_count: changed.length,
  };
}
