// Wire shapes of the comparison of two builds.
import { PackageParts } from '../inspection/schema.ts';
import { dateTime, id } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { displayBuildNumber, inspectionStatus } from './schema.ts';

/** Names in each list of a comparison; the numbers beside them count all. */
export const MAX_LISTED = 100;

const comparedBuild = z
  .object({
    identifier: id(),
    version_name: z.string(),
    build_number: z.int(),
    display_build_number: displayBuildNumber,
    size_bytes: z.int(),
    uploaded_at: dateTime(),
    inspection_status: inspectionStatus,
    parts: PackageParts.nullable(),
  })
  .meta({ id: 'ComparedBuild' });

const names = () => z.array(z.string()).meta({ description: `Sorted, at most ${MAX_LISTED}` });
const setChange = z
  .object({ added: names(), removed: names(), added_count: z.int(), removed_count: z.int() })
  .meta({ id: 'SetChange' });

const valueChange = z
  .object({ before: z.string().nullable(), after: z.string().nullable() })
  .meta({ id: 'ValueChange' });

const library = z.object({ name: z.string(), before: z.string().nullable(), after: z.string().nullable() });
const libraryChange = z
  .object({
    added: names(),
    removed: names(),
    added_count: z.int(),
    removed_count: z.int(),
    changed: z
      .array(library.meta({ id: 'LibraryVersionChange' }))
      .meta({ description: `Other versions, at most ${MAX_LISTED}` }),
    changed_count: z.int(),
  })
  .meta({ id: 'LibraryChange' });

const entitlementChange = setChange
  .extend({ changed: names().meta({ description: 'Present in both with different values' }), changed_count: z.int() })
  .meta({ id: 'EntitlementChange' });

export const buildComparison = z
  .object({
    before: comparedBuild,
    after: comparedBuild,
    size_change_bytes: z.int().meta({ description: 'after minus before' }),
    min_os_version: valueChange,
    target_sdk: valueChange,
    permissions: setChange.nullable(),
    entitlements: entitlementChange.nullable().meta({ description: 'Null unless both have a provisioning profile' }),
    certificates: setChange.nullable().meta({ description: 'SHA-256 of signing certificates; null on iOS' }),
    profile: z
      .object({ name: valueChange, kind: valueChange, team_id: valueChange, expires_at: valueChange })
      .meta({ id: 'ProfileChange' })
      .nullable()
      .meta({ description: 'Null unless both have a provisioning profile' }),
    devices: setChange
      .nullable()
      .meta({ description: 'Devices in the provisioning profile. Null if one contains no list of devices' }),
    libraries: libraryChange.nullable(),
  })
  .meta({
    id: 'BuildComparison',
    description: 'A part is null if it is unknown for one of the builds: unreadable, or of an older version',
  });

export type BuildComparison = z.input<typeof buildComparison>;
