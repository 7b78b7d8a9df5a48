// The inspection of a build's archive, as stored and returned by the API.

import * as z from '../lib/zod.ts';
import { platforms } from '../platforms.ts';

const text = (description: string) => z.string().nullable().meta({ description });

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
// Not z.json(), because its description is recursive and clients generated from it don't compile.
const json = z.custom<Json>(isJson).meta({ description: 'Any JSON value' });

function isJson(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isJson);
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isJson);
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** The kinds of provisioning profiles. */
export const profileKinds = ['development', 'ad-hoc', 'enterprise', 'app-store'] as const;

export const IosSigning = z
  .object({
    platform: z.literal('ios'),
    kind: z.enum(profileKinds),
    team_id: text('Team identifier of the provisioning profile.'),
    team_name: text('Team name of the provisioning profile.'),
    profile_name: text('Name of the provisioning profile.'),
    profile_uuid: text('Identifier of the provisioning profile.'),
    created_at: z.iso.datetime().nullable(),
    expires_at: z.iso.datetime().nullable().meta({ description: 'After this time the app no longer starts.' }),
    entitlements: z
      .record(z.string(), json)
      .meta({ description: 'Entitlements the profile grants, shortened when huge.' }),
    provisioned_devices: z.array(z.string()).meta({ description: 'UDIDs the profile names, sorted.' }),
    provisions_all_devices: z.boolean(),
    certificate_count: z.int(),
    certificate_expires_at: z.iso.datetime().nullable().meta({ description: 'First expiry among the certificates.' }),
    cms_signature_valid: z
      .boolean()
      .meta({ description: 'The profile is signed and its signature matches its content.' }),
  })
  .meta({ id: 'BuildSigningIos' });

export const AndroidCertificate = z
  .object({
    sha256: z.string().meta({ description: 'SHA-256 of the certificate, lower-case hex.' }),
    subject: z.string().nullable(),
    not_after: z.iso.datetime().nullable(),
  })
  .meta({ id: 'BuildSigningCertificate' });

export const AndroidSigning = z
  .object({
    platform: z.literal('android'),
    verified: z.boolean().meta({
      description: 'Signed so that every Android version from min_os_version on accepts it, as far as it was checked.',
    }),
    verified_from_sdk: z.int().nullable().meta({ description: 'Lowest API level that accepts the signature.' }),
    verified_until_sdk: z.int().nullable().meta({
      description: 'Highest API level that accepts the signature; null if newer ones do too, or none does.',
    }),
    contents_checked: z.boolean().meta({
      description: 'False for large packages: the signature was checked, but not the digest of every byte it covers.',
    }),
    schemes: z
      .object({ v1: z.boolean(), v2: z.boolean(), v3: z.boolean() })
      .meta({ description: 'Schemes with a valid signature.' }),
    certificates: z.array(AndroidCertificate).meta({ description: 'Certificates with a valid signature.' }),
  })
  .meta({ id: 'BuildSigningAndroid' });

export const PackageParts = z
  .object({
    code: z.int().meta({ description: 'Programs: the executables of an .ipa, the .dex files of an .apk' }),
    resources: z.int(),
    frameworks: z.int().meta({ description: 'Frameworks of an .ipa, native libraries of an .apk' }),
    assets: z.int().meta({ description: 'Images, sounds and fonts of an .ipa, the folder assets of an .apk' }),
    other: z.int().meta({ description: 'Signatures, metadata and the archive itself' }),
  })
  .meta({ id: 'BuildParts', description: 'Compressed bytes by part; they add up to the size of the package' });

const Library = z
  .object({ name: z.string(), version: text('Null if the package contains only the name.') })
  .meta({ id: 'BuildLibrary' });

export const InspectionWarning = z
  .object({ code: z.string(), message: z.string() })
  .meta({ id: 'BuildInspectionWarning' });

export const Inspection = z
  .object({
    platform: z.enum(platforms),
    application_name: text('Name under the icon.'),
    bundle_identifier: z.string().meta({ description: 'Bundle identifier or package name.' }),
    version_name: text('CFBundleShortVersionString or versionName.'),
    build_number: text('CFBundleVersion or versionCode.'),
    min_os_version: text('iOS version, or Android API level.'),
    devices: z
      .array(z.string())
      .meta({ description: 'iOS device families: iphone, ipad, apple-tv, apple-watch, vision.' }),
    supported_platforms: z.array(z.string()).meta({ description: 'CFBundleSupportedPlatforms.' }),
    is_simulator: z.boolean(),
    target_sdk: text('Android targetSdkVersion.'),
    abis: z.array(z.string()).meta({ description: 'Processor architectures with native libraries.' }),
    debuggable: z.boolean().nullable().meta({ description: 'Android only.' }),
    test_only: z.boolean().nullable().meta({ description: 'Android only.' }),
    split: text('Name of the split, if the package is only a part of an app.'),
    needs_splits: z.boolean().nullable().meta({
      description:
        'Whether Android installs the package only together with its splits; null for iOS and for builds that were uploaded before it was recorded.',
    }),
    signing: z.discriminatedUnion('platform', [IosSigning, AndroidSigning]).nullable(),
    permissions: z.array(z.string()).meta({ description: 'Android permissions, or iOS usage description keys.' }),
    usage_descriptions: z.record(z.string(), z.string()).nullable().meta({
      description: 'What an iOS app says when it asks for a permission, by key; null for Android, and as parts.',
    }),
    parts: PackageParts.nullable().meta({ description: 'Null for builds that were uploaded before 0.3.0.' }),
    libraries: z.array(Library).nullable().meta({ description: 'Sorted by name; null as parts.' }),
    warnings: z.array(InspectionWarning),
  })
  .meta({ id: 'BuildInspectionContent', description: 'Details from the archive.' });

export type IosSigning = z.infer<typeof IosSigning>;
export type AndroidSigning = z.infer<typeof AndroidSigning>;
export type AndroidCertificate = z.infer<typeof AndroidCertificate>;
export type PackageParts = z.infer<typeof PackageParts>;
export type Library = z.infer<typeof Library>;
export type InspectionWarning = z.infer<typeof InspectionWarning>;
export type Inspection = z.infer<typeof Inspection>;
