// Wire shapes of single sign-on.
import { dateTime, id, page } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { authenticationMethods } from '../oidc/client.ts';

const httpUrl = (example = 'https://idp.example.com/saml/sso') =>
  z
    .string()
    .trim()
    .max(2048)
    .refine(isHttpUrl, 'Input should be an http or https URL without user and fragment')
    .meta({ format: 'uri', example });

const kind = () => z.enum(['saml', 'oidc']);

/** The name of a claim at the top level of a token. */
const claimName = () =>
  z
    .string()
    .max(128)
    .regex(/^[\w:./-]+$/, 'Input should be the name of a claim');

const scope = () =>
  z
    .string()
    .max(128)
    .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'Input should be a scope without spaces');

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
    oidc: z
      .object({
        issuer: httpUrl('https://login.example.com/tenant').meta({
          description: 'Exactly as the provider writes it, including a slash at the end',
        }),
        client_id: z
          .string()
          .trim()
          .min(1)
          .max(512)
          .regex(/^[\x20-\x7e]+$/, 'Input should be one line of ASCII characters'),
        client_secret: z
          .string()
          .min(1)
          .max(2048)
          .regex(/^[\x20-\x7e]+$/, 'Input should be one line of ASCII characters')
          .optional()
          .meta({ description: 'Never returned. If omitted, the secret for the same issuer and client stays' }),
        client_authentication: z
          .enum(authenticationMethods)
          .nullish()
          .meta({ description: 'How the client sends its secret; by default as the provider supports it' }),
        scopes: z
          .array(scope())
          .max(20)
          .default(['openid', 'email', 'profile'])
          .meta({ description: '`openid` is always included' }),
        email_claim: claimName().default('email'),
        name_claim: claimName().default('name'),
        accept_unverified_email: z.boolean().default(false).meta({
          description:
            "Accept addresses that the provider doesn't call verified. Those that it calls unverified are rejected anyway",
        }),
      })
      .optional()
      .meta({ description: 'An OpenID Connect provider, instead of the other fields' }),
  })
  .meta({ id: 'SsoConfigurationInput' });

export const ssoRequirement = z.object({ required: z.boolean() }).meta({ id: 'SsoRequirement' });

export const ssoConfiguration = z
  .object({
    organization_id: id(),
    kind: kind(),
    entity_id: z.string().meta({ description: 'With OpenID Connect, the issuer' }),
    sso_url: z.string().meta({ description: 'With OpenID Connect, the authorization endpoint' }),
    slo_url: z.string().nullable().meta({ description: 'With OpenID Connect, the logout endpoint' }),
    certificates: z.array(z.string()).meta({ description: 'PEM; none with OpenID Connect' }),
    certificate_details: z
      .array(z.object({ subject: z.string(), expires_at: dateTime().nullable(), sha256: z.string() }))
      .meta({ description: 'Details of each certificate, in the same order. Expired certificates are still accepted' }),
    oidc: z
      .object({
        issuer: z.string(),
        client_id: z.string(),
        client_authentication: z.enum(authenticationMethods).nullable(),
        scopes: z.array(z.string()),
        email_claim: z.string(),
        name_claim: z.string(),
        accept_unverified_email: z.boolean(),
      })
      .nullable()
      .meta({ description: 'Null with SAML' }),
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
      redirect_uri: z.string(),
      backchannel_logout_uri: z.string(),
      post_logout_redirect_uri: z.string(),
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

export const ssoTestResult = z
  .object({
    passed: z.boolean(),
    checks: z.array(
      z.object({
        name: z.enum(['discovery', 'keys', 'client']),
        result: z.enum(['passed', 'failed', 'unknown']).meta({
          description: '`unknown` if an earlier check failed, or the response shows neither success nor failure',
        }),
        message: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'SsoTestResult' });

/** Only for the API description. The query is read as it was sent, because each parameter may occur once. */
export const oidcCallbackQuery = z.object({
  code: z.string().optional(),
  state: z.string().optional(),
  iss: z.string().optional(),
  error: z.string().optional(),
});

export const oidcLogout = z.object({ logout_token: z.string() }).meta({ id: 'OidcLogout' });

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
export type OidcInput = NonNullable<SsoInput['oidc']>;
export type SsoTestResult = z.input<typeof ssoTestResult>;
export type SsoDomain = z.input<typeof ssoDomain>;
export type SsoResponse = z.output<typeof ssoResponse>;
export type SsoLoginQuery = z.output<typeof ssoLoginQuery>;
