// Wire shapes of single sign-on.
import { z } from 'zod';
import { dateTime, id, page } from '../lib/shapes.ts';

const httpUrl = () =>
  z
    .string()
    .trim()
    .max(2048)
    .refine(isHttpUrl, 'Input should be an http or https URL without user and fragment')
    .meta({ format: 'uri', example: 'https://idp.example.com/saml/sso' });

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== '') return false;
  return !text.includes('#') && /^[\x21-\x7e]+$/.test(text);
}

export const inSsoDomainPath = z.object({ organization_id: id(), domain_id: id() });

export const ssoInput = z
  .object({
    metadata_xml: z
      .string()
      .min(1)
      .max(256 * 1024)
      .optional()
      .meta({ description: 'Metadata of the identity provider, instead of the other fields' }),
    entity_id: z
      .string()
      .trim()
      .min(1)
      .max(1024)
      .regex(/^\P{Cc}+$/u, 'Input should be one line')
      .optional(),
    sso_url: httpUrl().optional().meta({ description: 'Single sign-on service with the binding HTTP-Redirect' }),
    slo_url: httpUrl().nullish().meta({ description: 'Single logout service with the binding HTTP-Redirect' }),
    certificates: z
      .array(z.string().max(16 * 1024))
      .min(1)
      .max(8)
      .optional()
      .meta({ description: 'Signing certificates of the identity provider, in PEM or base64' }),
  })
  .meta({ id: 'SsoConfigurationInput' });

export const ssoRequirement = z.object({ required: z.boolean() }).meta({ id: 'SsoRequirement' });

export const ssoConfiguration = z
  .object({
    organization_id: id(),
    entity_id: z.string(),
    sso_url: z.string(),
    slo_url: z.string().nullable(),
    certificates: z.array(z.string()).meta({ description: 'PEM' }),
    certificate_details: z
      .array(z.object({ subject: z.string(), expires_at: dateTime().nullable(), sha256: z.string() }))
      .meta({ description: 'Details of each certificate, in the same order. Expired certificates are still accepted' }),
    enabled: z.boolean(),
    required: z.boolean().meta({
      description:
        'Whether members in a verified domain must sign in through the identity provider while it is enabled',
    }),
    service_provider: z.object({
      entity_id: z.string(),
      acs_url: z.string(),
      slo_url: z.string(),
      login_url: z.string(),
      metadata_url: z.string(),
    }),
    created_at: dateTime(),
    updated_at: dateTime(),
  })
  .meta({ id: 'SsoConfiguration' });

export const ssoDomainInput = z
  .object({ domain: z.string().min(1).max(1012).meta({ example: 'example.com' }) })
  .meta({ id: 'SsoDomainInput' });

export const ssoDomain = z
  .object({
    identifier: id(),
    organization_id: id(),
    domain: z.string(),
    verified: z.boolean(),
    verified_at: dateTime().nullable(),
    dns_record: z
      .object({ type: z.literal('TXT'), name: z.string(), value: z.string() })
      .meta({ description: 'DNS record that proves the ownership of the domain' }),
    created_at: dateTime(),
  })
  .meta({ id: 'SsoDomain' });

export const ssoDomainPage = page('SsoDomainPage', ssoDomain);

export const ssoLoginQuery = z.object({
  relay_state: z.string().max(2048).optional().meta({ description: 'Path on this server to return to' }),
  force_authn: z
    .boolean()
    .optional()
    .meta({ description: 'Request a new sign-in from the identity provider, for a step-up' }),
});

export const ssoResponse = z
  .object({ SAMLResponse: z.string(), RelayState: z.string().optional() })
  .meta({ id: 'SsoResponse' });

/** Only for the API description. The signature covers the original query string, so that is what is read. */
export const ssoLogoutQuery = z.object({
  SAMLRequest: z.string().optional(),
  SAMLResponse: z.string().optional(),
  RelayState: z.string().optional(),
  SigAlg: z.string().optional(),
  Signature: z.string().optional(),
});

export const ssoDiscovery = z
  .object({ email: z.string().max(1024).meta({ example: 'dana@example.com' }) })
  .meta({ id: 'SsoDiscoveryRequest' });

export const ssoDiscovered = z
  .object({ sso: z.boolean(), login_url: z.string().nullable() })
  .meta({ id: 'SsoDiscoveryResult' });

export type SsoInput = z.output<typeof ssoInput>;
export type SsoConfiguration = z.input<typeof ssoConfiguration>;
export type SsoDomain = z.input<typeof ssoDomain>;
export type SsoResponse = z.output<typeof ssoResponse>;
export type SsoLoginQuery = z.output<typeof ssoLoginQuery>;
