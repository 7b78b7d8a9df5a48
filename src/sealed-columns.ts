// All columns with values that the secret key encrypts, except for the keys that sign access tokens, which its rotation replaces.

import { secretPurpose as requestSecretPurpose } from './byosa/access.ts';
import { ACME_ACCOUNT_KEY } from './certificates/acme-accounts.ts';
import { AUTHORITY_KEY, CERTIFICATE_KEY } from './certificates/store.ts';
import {
  acmeAccounts,
  certificateAuthorities,
  certificates,
  customerContainers,
  federationKeys,
  repositoryKeys,
  ssoConnections,
  ssoKeys,
  ssoSessions,
  storageRequests,
  storeConnections,
  totpFactors,
  webhookSubscriptions,
} from './data/tables/tables.ts';
import { REPOSITORY_KEY } from './feeds/keys.ts';
import { FEDERATION_KEY } from './runtime/federation.ts';
import type { SealedColumn } from './runtime/sealed-columns.ts';
import { totpSecretPurpose } from './second-factors/codes.ts';
import { idTokenPurpose } from './sign-in/sso/oidc.ts';
import { clientSecretPurpose } from './sso/oidc.ts';
import { providerKeyPurpose } from './sso/provider-key.ts';
import { containerSecretPurpose } from './storage/azure/containers.ts';
import { storeSecretPurpose } from './stores/credentials.ts';
import { secretPurpose, urlPurpose } from './webhooks/sealed-subscription.ts';

export const sealedColumns: readonly SealedColumn[] = [
  { column: certificateAuthorities.privateKeyEncrypted, purpose: AUTHORITY_KEY },
  { column: certificates.privateKeyEncrypted, purpose: CERTIFICATE_KEY },
  { column: acmeAccounts.privateKeyEncrypted, purpose: ACME_ACCOUNT_KEY },
  { column: federationKeys.privateKeyEncrypted, purpose: FEDERATION_KEY },
  { column: repositoryKeys.privateKeyEncrypted, purpose: REPOSITORY_KEY },
  { column: customerContainers.secretEncrypted, owner: customerContainers.id, purpose: containerSecretPurpose },
  {
    column: storageRequests.clientSecretEncrypted,
    owner: storageRequests.organizationId,
    purpose: requestSecretPurpose,
  },
  { column: ssoConnections.clientSecretEncrypted, owner: ssoConnections.organizationId, purpose: clientSecretPurpose },
  { column: ssoKeys.privateKeyEncrypted, owner: ssoKeys.organizationId, purpose: providerKeyPurpose },
  { column: ssoSessions.idTokenEncrypted, owner: ssoSessions.organizationId, purpose: idTokenPurpose },
  { column: totpFactors.secretEncrypted, owner: totpFactors.developerId, purpose: totpSecretPurpose },
  { column: storeConnections.sealedSecret, owner: storeConnections.id, purpose: storeSecretPurpose },
  { column: webhookSubscriptions.sealedUrl, owner: webhookSubscriptions.id, purpose: urlPurpose },
  { column: webhookSubscriptions.sealedSecret, owner: webhookSubscriptions.id, purpose: secretPurpose },
];
