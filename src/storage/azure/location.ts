// Where a customer's container is: its URLs, and the URL of the customer's tenant. Only names are entered by users, and they can't
// change the host.
import { isIP } from 'node:net';
import { hostnameOf } from '../../lib/url-host.ts';
import { UUID_PATTERN } from '../../lib/uuid.ts';
import { assertObjectKey } from '../object-key.ts';

/** The cloud: hosts, each optionally with scheme and port. `https` without a scheme. */
export type AzureEndpoints = {
  /** Issues the tokens, such as `login.microsoftonline.com`. */
  readonly authorityHost: string;
  /** Follows the name of the storage account, such as `blob.core.windows.net`. */
  readonly endpointSuffix: string;
};

/** The names that a customer enters. */
export type ContainerNames = { readonly account: string; readonly container: string };

export type ContainerLocation = ContainerNames & {
  /** Whether requests are encrypted. */
  readonly isSecure: boolean;
  /** The URL of the storage account. */
  accountUrl(): URL;
  /** The URL of a blob, or of the container without a key. */
  urlOf(key?: string): URL;
  /** The blob in the form that signatures cover. */
  resourceOf(key: string): string;
};

const ACCOUNT = /^[a-z0-9]{3,24}$/;
const CONTAINER = /^[a-z0-9](?:-?[a-z0-9]){2,62}$/;
const UUID = new RegExp(`^${UUID_PATTERN}$`);

/** Whether a text is the name of a storage account. */
export const isAccountName = (text: string): boolean => ACCOUNT.test(text);

/** Whether a text is the name of a container, other than a special one such as `$web`. */
export const isContainerName = (text: string): boolean => text.length <= 63 && CONTAINER.test(text);

/** Whether a text is the id of a tenant or an application. */
const isDirectoryId = (text: string): boolean => UUID.test(text);

/** Returns the location of a container. Throws RangeError for names that users can't have entered. */
export function locateContainer(
  { endpointSuffix }: Pick<AzureEndpoints, 'endpointSuffix'>,
  { account, container }: ContainerNames,
): ContainerLocation {
  if (!isAccountName(account) || !isContainerName(container)) throw new RangeError('not the names of a container');
  const base = baseOf(endpointSuffix);
  // Services on an address have no names below it, so the account is in the path.
  const isAddress = isIP(hostnameOf(base)) !== 0;
  const root = isAddress ? `${base.origin}/${account}` : `${base.protocol}//${account}.${base.host}`;
  return {
    account,
    container,
    isSecure: base.protocol === 'https:',
    accountUrl: () => new URL(`${root}/`),
    // Keys have only characters that need no escaping in a URL.
    urlOf: (key) => new URL(`${root}/${container}${key === undefined ? '' : `/${assertObjectKey(key)}`}`),
    resourceOf: (key) => `/blob/${account}/${container}/${assertObjectKey(key)}`,
  };
}

/** Returns the origin of the containers of a storage account. */
export function containerOrigin(endpoints: Pick<AzureEndpoints, 'endpointSuffix'>, account: string): string {
  return locateContainer(endpoints, { account, container: 'any' }).accountUrl().origin;
}

/** Returns the URL that issues the tokens of a tenant. Throws RangeError if the tenant isn't an id. */
export function tokenUrlOf({ authorityHost }: Pick<AzureEndpoints, 'authorityHost'>, tenantId: string): URL {
  if (!isDirectoryId(tenantId)) throw new RangeError('not the id of a tenant');
  return new URL(`${baseOf(authorityHost).origin}/${tenantId}/oauth2/v2.0/token`);
}

function baseOf(host: string): URL {
  return new URL(/^https?:\/\//.test(host) ? host : `https://${host}`);
}
