// What a bucket needs for this server: permissions of its keys, and the CORS rule for uploads by browsers, to paste and to set.
import { createHash } from 'node:crypto';
import { StorageError } from '../../core/storage.ts';
import { escapeXml } from '../../lib/xml-text.ts';
import { type S3Client, S3Refusal } from './client.ts';
import type { BucketLocation } from './location.ts';
import { elementsOf } from './xml.ts';

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

/** Adds the CORS rule for uploads from `origin` to those of the bucket. Throws StorageError. */
export async function setCors(client: S3Client, origin: string): Promise<void> {
  const own = corsRule(origin);
  const others = (await readCorsRules(client)).filter((rule) => !rule.includes(`>${escapeXml(origin)}<`));
  const rules = [...others.map((rule) => `<CORSRule>${rule}</CORSRule>`), own].join('');
  const body = Buffer.from(
    `<CORSConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${rules}</CORSConfiguration>`,
  );
  const headers = {
    'content-type': 'application/xml',
    'content-md5': createHash('md5').update(body).digest('base64'),
  };
  await client.call({ method: 'PUT', query: { cors: '' }, headers, body });
}

async function readCorsRules(client: S3Client): Promise<string[]> {
  try {
    const answer = await client.call({ method: 'GET', query: { cors: '' } });
    return elementsOf(answer.body.toString(), 'CORSRule');
  } catch (error) {
    const refusal = error instanceof StorageError ? error.cause : undefined;
    // Services have different codes for a bucket without rules.
    if (refusal instanceof S3Refusal && refusal.status === 404 && refusal.code !== 'NoSuchBucket') return [];
    throw error;
  }
}
