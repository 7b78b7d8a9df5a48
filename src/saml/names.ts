// Names of SAML 2.0 and XML signatures, and an organization's URLs as a service provider.
import type { App } from '../core/context.ts';

export const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
export const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';
export const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata';
export const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#';
export const EXCLUSIVE_FORM = 'http://www.w3.org/2001/10/xml-exc-c14n#';
export const REDIRECT_BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
export const POST_BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
export const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
export const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
export const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
export const UNSPECIFIED_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';
export const TRANSIENT_FORMAT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
export const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';

export const SAML_METADATA_TYPE = 'application/samlmetadata+xml';

/** An organization as a service provider. */
export interface ServiceProvider {
  entityId: string;
  acsUrl: string;
  sloUrl: string;
  loginUrl: string;
  metadataUrl: string;
}

/** Returns the path of an organization's single sign-on endpoints. */
export function ssoPath(organizationId: string): string {
  return `/api/v1/organizations/${organizationId}/sso`;
}

/** Returns the URLs of an organization. Its entity id is the URL of its metadata. */
export function serviceProvider({ config }: Pick<App, 'config'>, organizationId: string): ServiceProvider {
  const base = `${config.server.base_url}${ssoPath(organizationId)}`;
  return {
    entityId: `${base}/metadata`,
    acsUrl: `${base}/acs`,
    sloUrl: `${base}/slo`,
    loginUrl: `${base}/login`,
    metadataUrl: `${base}/metadata`,
  };
}
