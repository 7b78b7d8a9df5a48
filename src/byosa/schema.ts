// Wire shapes of an organization's own storage.
import { dateTime, id } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { isAccountName, isContainerName } from '../storage/azure/location.ts';

/** The steps of a validation, in order, by which one failed. */
const failureStages = [
  'token_exchange',
  'container_check',
  'container_not_found',
  'put_marker',
  'delete_marker',
  'list_container',
  'soft_delete_residue',
] as const;
export type FailureStage = (typeof failureStages)[number];

export const requestStatuses = [
  'validating',
  'validation_failed',
  'awaiting_approval',
  'approved',
  'rejected',
] as const;

const account = () =>
  z
    .string()
    .trim()
    .max(24)
    .refine(isAccountName, 'Input should be the name of a storage account: 3 to 24 of a-z and 0-9')
    .meta({ example: 'acmebuilds' });

const container = () =>
  z
    .string()
    .trim()
    .max(63)
    .refine(isContainerName, 'Input should be the name of a container: 3 to 63 of a-z, 0-9 and single hyphens')
    .meta({ example: 'test-builds' });

export const onboardingInput = z
  .object({
    tenant_id: id().meta({ description: 'The directory (tenant) that the application belongs to' }),
    client_id: id().meta({ description: 'The application (client)' }),
    storage_account: account(),
    container: container(),
    client_secret: z
      .string()
      .min(1)
      .max(512)
      .regex(/^[\x21-\x7e]+$/, 'Input should be ASCII characters without spaces')
      .nullish()
      .meta({ description: 'Never returned. Without one, the application must trust this server (federation)' }),
  })
  .meta({ id: 'ByosaOnboardingInput' });
export type OnboardingInput = z.output<typeof onboardingInput>;

const authentication = () => z.enum(['federation', 'secret']);

export const validationReport = z
  .object({
    success: z.boolean(),
    failure_stage: z.enum(failureStages).nullable(),
    responsibility: z.enum(['customer', 'platform']).nullable().meta({ description: 'Who can fix it' }),
    summary: z.string().nullable(),
    remediation: z.array(z.string()).meta({ description: 'What to do, in order' }),
    docs_url: z.string().nullable(),
    failure_detail: z.string().nullable().meta({ description: "The provider's own code and message" }),
  })
  .meta({ id: 'BYOSAValidationReport' });
export type ValidationReport = z.output<typeof validationReport>;

const corsRule = z
  .object({
    allowed_origins: z.array(z.string()),
    allowed_methods: z.array(z.string()),
    allowed_headers: z.array(z.string()),
    exposed_headers: z.array(z.string()),
    max_age_seconds: z.int(),
  })
  .meta({ id: 'CorsRule' });
export type CorsRule = z.output<typeof corsRule>;

export const onboardingRequest = z
  .object({
    identifier: id(),
    organization_id: id(),
    status: z.enum(requestStatuses),
    tenant_id: id(),
    client_id: id(),
    storage_account: z.string(),
    container: z.string(),
    authentication: authentication(),
    requested_at: dateTime(),
    requested_by_developer_id: id().nullable(),
    validated_at: dateTime().nullable(),
    validation: validationReport.nullable(),
    browser_uploads: z.enum(['allowed', 'blocked']).nullable().meta({
      description: 'Whether the storage account lets browsers upload from this server (CORS); null if not known',
    }),
    cors_rule: corsRule.meta({ description: 'The rule that the blob service needs for uploads by browsers' }),
    decided_at: dateTime().nullable(),
    rejection_reason: z.string().nullable(),
  })
  .meta({ id: 'ByosaOnboardingRequest' });
export type OnboardingRequest = z.output<typeof onboardingRequest>;

export const organizationStorage = z
  .object({
    organization_id: id(),
    backend: z
      .enum(['hosted', 'azure'])
      .meta({ description: 'Where new packages are stored: by this server, or in the own container' }),
    container: z
      .object({
        storage_account: z.string(),
        container: z.string(),
        activated_at: dateTime(),
        unreachable_since: dateTime().nullable(),
        unreachable_reason: z.string().nullable(),
      })
      .nullable(),
    byosa_enabled: z.boolean().meta({ description: 'Whether an own container can be requested' }),
    federation: z
      .object({ issuer: z.string(), subject: z.string(), audience: z.string() })
      .meta({ description: 'What an application must trust to work without a client secret' }),
    usage: z.object({
      builds: z.int(),
      bytes: z.int(),
      projects: z.array(z.object({ project_id: id(), name: z.string(), builds: z.int(), bytes: z.int() })),
    }),
  })
  .meta({ id: 'OrganizationStorage' });
export type OrganizationStorage = z.output<typeof organizationStorage>;

export const discovery = z
  .object({
    issuer: z.string(),
    jwks_uri: z.string(),
    response_types_supported: z.array(z.string()),
    subject_types_supported: z.array(z.string()),
    id_token_signing_alg_values_supported: z.array(z.string()),
  })
  .meta({ id: 'FederationDiscovery' });

export const publicKeys = z
  .object({
    keys: z.array(
      z.object({
        kty: z.string(),
        n: z.string(),
        e: z.string(),
        kid: z.string(),
        use: z.string(),
        alg: z.string(),
      }),
    ),
  })
  .meta({ id: 'FederationKeys' });

/** A request as the operator sees it. */
const operatorRequest = z
  .object({
    ...onboardingRequest.shape,
    organization_name: z.string(),
  })
  .meta({ id: 'OperatorStorageRequest' });
export const operatorRequests = z
  .object({ items: z.array(operatorRequest), has_more: z.boolean() })
  .meta({ id: 'OperatorStorageRequests' });
export type OperatorRequest = z.output<typeof operatorRequest>;
