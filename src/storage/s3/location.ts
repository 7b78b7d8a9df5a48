// Where the objects of a bucket are: URLs of the bucket and its objects, for the server and for clients.
import type { Config } from '../../config.ts';
import { assertObjectKey } from '../object-key.ts';

export type BucketLocation = {
  readonly bucket: string;
  /** '' or a path that ends with a slash. */
  readonly prefix: string;
  /** The URL of an object for the server, or of the bucket without a key. */
  urlOf(key?: string): URL;
  /** The URL of an object for clients. */
  publicUrlOf(key: string): URL;
  /** The name of the object within the bucket. */
  nameOf(key: string): string;
  /** Returns the key of an object by its name, or undefined if it's outside the prefix. */
  keyOf(name: string): string | undefined;
};

export type LocationOptions = {
  /** '' for Amazon's of the region. */
  endpoint: string;
  /** The endpoint that clients use; '' for the same. */
  publicEndpoint: string;
  region: string;
  bucket: string;
  /** '' or a path without slashes at its ends. */
  prefix: string;
  /** The bucket is in the path instead of the host name. */
  forcePathStyle: boolean;
};

/** Keys and prefixes have only characters that need no escaping in a URL. */
export function locateBucket(options: LocationOptions): BucketLocation {
  const { bucket, region, forcePathStyle } = options;
  const prefix = options.prefix === '' ? '' : `${options.prefix}/`;
  const amazon = `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const base = baseOf(options.endpoint === '' ? amazon : options.endpoint);
  const publicBase = options.publicEndpoint === '' ? base : baseOf(options.publicEndpoint);
  const nameOf = (key: string): string => `${prefix}${assertObjectKey(key)}`;

  function baseOf(endpoint: string): string {
    const url = new URL(endpoint);
    const path = url.pathname.replace(/\/+$/, '');
    if (forcePathStyle) return `${url.origin}${path}/${bucket}`;
    return `${url.protocol}//${bucket}.${url.host}${path}`;
  }

  return {
    bucket,
    prefix,
    urlOf: (key) => new URL(key === undefined ? (forcePathStyle ? base : `${base}/`) : `${base}/${nameOf(key)}`),
    publicUrlOf: (key) => new URL(`${publicBase}/${nameOf(key)}`),
    nameOf,
    keyOf: (name) => (name.startsWith(prefix) ? name.slice(prefix.length) : undefined),
  };
}

/** Returns the location of the configured bucket. */
export function locateConfiguredBucket(options: Config['storage']['s3']): BucketLocation {
  return locateBucket({
    endpoint: options.endpoint,
    publicEndpoint: options.public_endpoint,
    region: options.region,
    bucket: options.bucket,
    prefix: options.prefix,
    forcePathStyle: options.force_path_style,
  });
}
