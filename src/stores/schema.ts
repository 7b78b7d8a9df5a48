// API schemas of store connections and the quota of devices (docs/specification/stores.md).

import { displayBuildNumber } from '../builds/schema.ts';
import { dateTime, id, nameLine, page } from '../lib/shapes.ts';
import { storeProviders } from '../lib/store-providers.ts';
import * as z from '../lib/zod.ts';
import { isAppleKey, serviceAccountProblem } from './credentials.ts';
import { MAX_RESERVE } from './limits.ts';

/** Why a provider rejects a connection. */
const failureCodes = [
  'credentials_refused',
  'permission_missing',
  'agreement_missing',
  'api_disabled',
  'package_unknown',
] as const;
export type FailureCode = (typeof failureCodes)[number];

const scopes = ['account', 'package', 'token'] as const;
export type ValidationScope = (typeof scopes)[number];

/** Devices in one request. */
const MAX_DEVICES = 1_000;

const name = () => nameLine(100).meta({ description: 'One line' });
const keyId = () =>
  z
    .string()
    .regex(/^[A-Za-z0-9]{10}$/, 'Input should be 10 letters and digits')
    .meta({ description: 'Id of the key in App Store Connect' });
// Apple's issuer ids have the form of a UUID, but not its variant (RFC 9562 section 4.1).
const issuerId = () =>
  z
    .guid()
    .toLowerCase()
    .nullable()
    .meta({ description: 'Issuer id of a team key; null or missing for an individual key' });
const privateKey = () =>
  z
    .string()
    .max(4096)
    .refine(isAppleKey, 'Input should be the .p8 file of the key: a PEM in PKCS #8 with a P-256 key')
    .meta({ writeOnly: true, description: 'Content of the .p8 file of the key. Never returned' });
const MAX_SERVICE_ACCOUNT_BYTES = 16_384;
const serviceAccount = () =>
  z
    .string()
    .max(MAX_SERVICE_ACCOUNT_BYTES)
    .superRefine((text, ctx) => {
      // The limit of characters has reported it.
      if (text.length > MAX_SERVICE_ACCOUNT_BYTES) return;
      if (Buffer.byteLength(text) > MAX_SERVICE_ACCOUNT_BYTES) {
        ctx.addIssue({ code: 'custom', message: `Input should have at most ${MAX_SERVICE_ACCOUNT_BYTES} bytes` });
        return;
      }
      const problem = serviceAccountProblem(text);
      if (problem === undefined) return;
      ctx.addIssue({
        code: 'custom',
        message: problem.message,
        path: problem.field === undefined ? [] : [problem.field],
      });
    })
    .meta({ writeOnly: true, description: 'Content of the JSON key file of the service account. Never returned' });
const packageName = () =>
  z
    .string()
    .max(255)
    .regex(/^[A-Za-z]\w*(?:\.[A-Za-z]\w*)+$/, 'Input should be a package name such as com.example.app')
    .nullable()
    .meta({ description: 'A package of the account, with which validation also proves the permission for it' });

export const connectionInput = z
  .discriminatedUnion('provider', [
    z.object({
      provider: z.literal('app_store_connect'),
      name: name(),
      key_id: keyId(),
      private_key: privateKey(),
      issuer_id: issuerId().optional(),
    }),
    z.object({
      provider: z.literal('google_play'),
      name: name(),
      service_account_json: serviceAccount(),
      package_name: packageName().optional(),
    }),
  ])
  .meta({ id: 'StoreConnectionInput' });

export const connectionChange = z
  .object({
    name: name().optional(),
    key_id: keyId().optional(),
    private_key: privateKey().optional(),
    issuer_id: issuerId().optional(),
    service_account_json: serviceAccount().optional(),
    package_name: packageName().optional(),
    automatic_registration: z.boolean().optional().meta({
      description: 'Register each new device of the organization with Apple. App Store Connect only',
    }),
    reserve: z.int().min(0).max(MAX_RESERVE).optional().meta({
      description: 'Places of each class of devices that automatic registration leaves',
    }),
  })
  .meta({ id: 'StoreConnectionChange' });

export const connection = z
  .object({
    identifier: id(),
    organization_id: id(),
    provider: z.enum(storeProviders),
    name: z.string(),
    issuer_id: z.string().nullable(),
    key_id: z.string().nullable(),
    client_email: z.string().nullable().meta({ description: 'The service account of Google Play' }),
    package_name: z.string().nullable(),
    status: z.enum(['valid', 'invalid']),
    validation: z.object({
      checked_at: dateTime(),
      scope: z.enum(scopes).meta({
        description: 'What the validation proves: access to the account or the package, or only valid credentials',
      }),
      code: z.enum(failureCodes).nullable().meta({ description: 'Null if the validation succeeded' }),
      message: z.string().nullable(),
    }),
    automatic_registration: z.boolean(),
    reserve: z.int().meta({ description: 'Places of each class that automatic registration leaves' }),
    pending_registrations: z.int().meta({ description: 'Devices that wait to be registered in the background' }),
    created_at: dateTime(),
    created_by: id().nullable(),
  })
  .meta({ id: 'StoreConnection' });

export const connectionPage = page('StoreConnectionPage', connection);

export const deviceQuota = z
  .object({
    checked_at: dateTime(),
    classes: z.array(
      z.object({
        device_class: z.string().meta({ description: "Apple's class, such as IPHONE" }),
        used: z.int().meta({ description: 'All listed devices: disabled ones keep their place' }),
        limit: z.int(),
        left: z.int(),
      }),
    ),
  })
  .meta({ id: 'StoreDeviceQuota' });

export const registrationInput = z.object({ store_connection_id: id() }).meta({ id: 'DeviceRegistrationInput' });

export const registrationsInput = z
  .object({
    device_ids: z.array(id()).min(1).max(MAX_DEVICES).optional().meta({
      description: 'If missing, all devices of the organization that Apple does not have yet',
    }),
  })
  .meta({ id: 'DeviceRegistrationsInput' });

export const queuedDevices = z
  .object({ queued: z.int().meta({ description: 'Devices that were added to the queue' }) })
  .meta({ id: 'QueuedDevices' });

const rebuild = z
  .object({
    build_id: id(),
    project_id: id(),
    project_name: z.string(),
    version_name: z.string(),
    build_number: z.int(),
    display_build_number: displayBuildNumber,
    channel_id: id(),
    channel_name: z.string(),
    profile_name: z.string().nullable(),
    profile_uuid: z.string().nullable(),
    missing_devices: z.int().meta({ description: 'Devices that Apple has and the profile of the build lacks' }),
    devices: z.array(z.object({ device_id: id(), name: z.string() })).meta({ description: 'The first 20 of them' }),
  })
  .meta({ id: 'RebuildSuggestion' });

export const rebuildPage = page('RebuildSuggestionPage', rebuild);

export const provisioningProfiles = z
  .object({
    checked_at: dateTime(),
    profiles: z.array(
      z.object({
        profile_id: z.string(),
        uuid: z.string(),
        name: z.string(),
        type: z.enum(['ad_hoc', 'development']),
        state: z.enum(['active', 'invalid']),
        created_at: dateTime().nullable(),
        expires_at: dateTime().nullable(),
        device_count: z.int(),
        builds: z
          .array(
            z.object({
              build_id: id(),
              project_id: id(),
              project_name: z.string(),
              version_name: z.string(),
              build_number: z.int(),
              display_build_number: displayBuildNumber,
              is_same: z.boolean().meta({
                description: 'Whether the build has this version of the profile. Otherwise only the name is the same',
              }),
              added_devices: z.int().meta({ description: 'Devices that a new build with this profile would add' }),
            }),
          )
          .meta({ description: 'Current builds of channels with this profile, up to 20' }),
      }),
    ),
  })
  .meta({ id: 'ProvisioningProfiles' });

export const inConnectionPath = z.object({ store_connection_id: id() });

export type ConnectionInput = z.output<typeof connectionInput>;
export type ConnectionChange = z.output<typeof connectionChange>;
export type Connection = z.input<typeof connection>;
export type RegistrationsInput = z.output<typeof registrationsInput>;
export type Rebuild = z.input<typeof rebuild>;
export type Profiles = z.input<typeof provisioningProfiles>;
export type DeviceQuota = z.input<typeof deviceQuota>;
