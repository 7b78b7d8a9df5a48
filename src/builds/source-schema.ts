// API schemas of the source of a build and its labels.
// As a namespace, from which the JavaScript client takes only what it uses.
import { plainLine, webAddress } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { MAX_LABEL_LENGTH, MAX_LABELS } from './label-limits.ts';

/** Shorter prefixes would find most commits of a project. */
export const MIN_COMMIT_PREFIX = 4;

const COMMIT = /^[0-9a-fA-F]{7,64}$/;

const commit = z
  .string()
  .regex(COMMIT, 'Input should be 7 to 64 hexadecimal digits')
  .toLowerCase()
  .meta({ description: 'Hash of the commit, in lower case' });

export const branch = plainLine(255);
export const pullRequest = z.int().min(1).max(Number.MAX_SAFE_INTEGER);

/** The fields of the source of a build, as they are sent. */
export const sourceFields = {
  commit: commit.nullish(),
  branch: branch.nullish(),
  tag: plainLine(255).nullish(),
  pull_request: pullRequest.nullish().meta({ description: 'Number of the pull request or merge request' }),
  repository_url: webAddress(500).nullish().meta({ description: 'Address of the repository, with http or https' }),
  run_url: webAddress(1000).nullish().meta({ description: 'Address of the CI run, with http or https' }),
  author: plainLine(255).nullish().meta({ description: 'Name of the author of the commit' }),
};

export const sourceInput = z.object(sourceFields).meta({
  id: 'BuildSourceInput',
  description: 'Where a build comes from, as its uploader states. Not verified',
});

export const buildSource = z
  .object({
    commit: z.string().nullable(),
    branch: z.string().nullable(),
    tag: z.string().nullable(),
    pull_request: z.int().nullable(),
    repository_url: z.string().nullable(),
    run_url: z.string().nullable(),
    author: z.string().nullable(),
  })
  .meta({ id: 'BuildSource', description: 'Where a build comes from, as its uploader states' });

export const label = plainLine(MAX_LABEL_LENGTH);

/** Returns what labels are compared by: labels that differ only in case are the same. */
export const labelKey = (text: string): string => text.toLowerCase();

export const labels = z
  .array(label)
  .max(MAX_LABELS)
  .refine((all) => new Set(all.map(labelKey)).size === all.length, 'Input should have each label once, in any case')
  .meta({ description: `At most ${MAX_LABELS}, each of 1 to ${MAX_LABEL_LENGTH} characters and once in any case` });

export const uploader = z
  .object({
    kind: z.enum(['developer', 'project_access_token']),
    name: z.string().meta({ description: 'Present name of the developer, or the name that the token had' }),
    avatar_url: z.string().nullable().meta({ description: 'For everyone who can read the build' }),
  })
  .meta({ id: 'UploadedBy' });

export type BuildSource = z.input<typeof buildSource>;
export type SourceInput = z.output<typeof sourceInput>;
export type Uploader = z.input<typeof uploader>;
