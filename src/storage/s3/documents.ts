// What a bucket needs for this server: permissions of its keys, and the CORS rule for uploads by browsers, to paste and to set.
import { createHash } from 'node:crypto';
import { StorageError } from '../../core/storage.ts';
import { escapeXml } from '../../lib/xml-text.ts';
import { type S3Client, S3Refusal } from './client.ts';
import type { BucketLocation } from './location.ts';
import { elementsOf, textOf } from './xml.ts';

/** Returns the policy of the server's keys, in the format of IAM. */
export function describePolicy({ bucket, prefix }: BucketLocation): object {
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Sid: 'TaxiwayObjects',
        Effect: 'Allow',
        Action: ['s3:GetObject', 's3:PutObject', 's3:DeleteObject', 's3:AbortMultipartUpload'],
        Resource: `arn:aws:s3:::${bucket}/${prefix}*`,
      },
      // Without it, the service reports missing objects as forbidden.
      { Sid: 'TaxiwayList', Effect: 'Allow', Action: 's3:ListBucket', Resource: `arn:aws:s3:::${bucket}` },
    ],
  };
}

/** Returns the CORS rules for uploads from the web app, in the format of the AWS console. */
export function describeCors(origin: string): object {
  return [
    {
      AllowedOrigins: [origin],
      AllowedMethods: ['PUT'],
      AllowedHeaders: ['content-type', 'x-ms-blob-type'],
      ExposeHeaders: ['ETag'],
      MaxAgeSeconds: 3600,
    },
  ];
}

function corsRule(origin: string): string {
  const headers = ['content-type', 'x-ms-blob-type'].map((name) => `<AllowedHeader>${name}</AllowedHeader>`).join('');
  return (
    `<CORSRule><AllowedOrigin>${escapeXml(origin)}</AllowedOrigin><AllowedMethod>PUT</AllowedMethod>${headers}` +
    '<ExposeHeader>ETag</ExposeHeader><MaxAgeSeconds>3600</MaxAgeSeconds></CORSRule>'
  );
}

/**
 * Adds the CORS rule for uploads from `origin` to those of the bucket, and replaces an earlier one. All others stay. Throws
 * StorageError.
 */
export async function setCors(client: S3Client, origin: string): Promise<void> {
  const others = (await readCorsRules(client)).filter((rule) => !isUploadRule(rule, origin));
  // First, because some services only use the first rule of an origin.
  const rules = [corsRule(origin), ...others.map((rule) => `<CORSRule>${rule}</CORSRule>`)].join('');
  const body = Buffer.from(
    `<CORSConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${rules}</CORSConfiguration>`,
  );
  const headers = {
    'content-type': 'application/xml',
    'content-md5': createHash('md5').update(body).digest('base64'),
  };
  await client.call({ method: 'PUT', query: { cors: '' }, headers, body });
}

/** Whether a rule allows nothing but uploads from this origin. */
function isUploadRule(rule: string, origin: string): boolean {
  const isOnly = (name: string, value: string): boolean => {
    const values = elementsOf(rule, name);
    return values.length === 1 && textOf(rule, name) === value;
  };
  return isOnly('AllowedOrigin', origin) && isOnly('AllowedMethod', 'PUT');
}

async function readCorsRules(client: S3Client): Promise<string[]> {
  try {
    const xml = (await client.call({ method: 'GET', query: { cors: '' } })).body.toString();
    const rules = elementsOf(xml, 'CORSRule');
    // Rules that are overlooked here would be deleted.
    if (rules.length === xml.match(/<(?:\w+:)?CORSRule\b/g)?.length) return rules;
    if (/<(?:\w+:)?CORSConfiguration\b/.test(xml) && !xml.includes('CORSRule')) return [];
    throw new StorageError('unavailable', 'the CORS rules of the bucket have an unknown form');
  } catch (error) {
    const refusal = error instanceof StorageError ? error.cause : undefined;
    // Services have different codes for a bucket without rules.
    if (refusal instanceof S3Refusal && refusal.status === 404 && refusal.code !== 'NoSuchBucket') return [];
    throw error;
  }
}
