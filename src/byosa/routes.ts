// Operations for the storage of an organization and its own container.
import { anonymous, empty, fromPath, interactive, type Operation, operation } from '../http/operation.ts';
import { bareError } from '../http/reply.ts';
import { inOrganizationPath } from '../lib/shapes.ts';
import { FEDERATION_PATH } from './access.ts';
import { readDiscovery, readPublicKeys } from './federation.ts';
import { readStorageRequests } from './operator.ts';
import { diagnose, readRequest, submitRequest, withdrawRequest } from './requests.ts';
import {
  discovery,
  onboardingInput,
  onboardingRequest,
  operatorRequests,
  organizationStorage,
  publicKeys,
  validationReport,
} from './schema.ts';
import { readStorage } from './storage.ts';

const tag = 'Storage';
const path = '/api/v1/organizations/{organization_id}';
const requestPath = `${path}/byosa/onboarding-request`;
const params = inOrganizationPath;
const access = {
  kind: 'organization',
  permission: 'organization.manage_storage',
  tenant: fromPath('organization_id'),
  isInteractive: true,
} as const;

export const byosaRoutes: Operation[] = [
  operation({
    id: 'getOrganizationStorage',
    tag,
    summary: 'Where the packages of an organization are stored, and their size by project',
    method: 'get',
    path: `${path}/storage`,
    access,
    params,
    returns: organizationStorage,
    status: 200,
    handle: (ctx) => readStorage(ctx),
  }),
  operation({
    id: 'getByosaOnboardingRequest',
    tag,
    summary: 'Get the request to store packages in an own Azure container',
    description: 'If there is none, the response is 404 with only `{"error":"not_found"}`.',
    method: 'get',
    path: requestPath,
    access,
    params,
    returns: onboardingRequest,
    status: 200,
    ownErrors: { 404: bareError },
    handle: (ctx) => readRequest(ctx),
  }),
  operation({
    id: 'submitByosaOnboardingRequest',
    tag,
    summary: 'Request to store packages in an own Azure container',
    description:
      'The container is validated automatically, and the operator of the server decides. A request that failed or was decided ' +
      'is replaced; for another one, the response is already_exists.',
    method: 'post',
    path: requestPath,
    access,
    params,
    body: onboardingInput,
    returns: onboardingRequest,
    status: 201,
    handle: (ctx, { body }) => submitRequest(ctx, body),
  }),
  operation({
    id: 'withdrawByosaOnboardingRequest',
    tag,
    summary: 'Withdraw the request',
    description: "An approved request can't be withdrawn.",
    method: 'delete',
    path: requestPath,
    access,
    params,
    returns: empty,
    status: 204,
    handle: (ctx) => withdrawRequest(ctx),
  }),
  operation({
    id: 'runByosaDiagnostics',
    tag,
    summary: 'Validate the container of the request now',
    description: 'Writes, lists and deletes a small blob. A request that failed continues if the validation succeeds.',
    method: 'post',
    path: `${path}/byosa/diagnostics`,
    access,
    params,
    returns: validationReport,
    status: 200,
    handle: (ctx) => diagnose(ctx),
  }),
  operation({
    id: 'listStorageRequests',
    tag: 'Operator',
    summary: 'Storage requests of all organizations, newest first, for operators',
    method: 'get',
    path: '/api/v1/system/storage-requests',
    access: interactive,
    isInternal: true,
    returns: operatorRequests,
    status: 200,
    handle: (ctx) => readStorageRequests(ctx),
  }),
  operation({
    id: 'getFederationConfiguration',
    tag,
    summary: 'The issuer of assertions that this server signs, for the clouds of customers (OpenID Connect Discovery)',
    method: 'get',
    path: `${FEDERATION_PATH}/.well-known/openid-configuration`,
    access: anonymous,
    returns: discovery,
    status: 200,
    handle: (ctx) => readDiscovery(ctx),
  }),
  operation({
    id: 'getFederationKeys',
    tag,
    summary: 'The public keys of assertions that this server signs',
    method: 'get',
    path: `${FEDERATION_PATH}/keys`,
    access: anonymous,
    returns: publicKeys,
    status: 200,
    handle: (ctx) => readPublicKeys(ctx),
  }),
];
