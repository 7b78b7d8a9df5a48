// Wire shapes of projects.

import { dateTime, id, nameLine, page, platform, prose } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { projectRoles } from '../permissions.ts';
import { MAX_COUNTED } from './contents-limit.ts';

export const projectRole = z.enum(projectRoles).meta({ id: 'ProjectDeveloperRole' });

const sibling = z
  .object({ identifier: id(), name: z.string(), platform })
  .meta({ id: 'ProjectSibling', description: 'A project of the same app for another platform' });

export const project = z
  .object({
    identifier: id(),
    organization_id: id(),
    name: z.string(),
    platform,
    description: z.string().nullable(),
    bundle_identifier: z.string().nullable(),
    size_budget_bytes: z
      .int()
      .nullable()
      .meta({ description: 'Builds with more bytes are marked, but not rejected; null for no budget' }),
    has_icon: z.boolean(),
    icon_url: z.string().nullable(),
    created_at: dateTime(),
    role: projectRole.meta({ description: 'Role of the caller' }),
    siblings: z
      .array(sibling)
      .meta({ description: 'Linked projects of the same app that the caller can access, one for each other platform' }),
  })
  .meta({ id: 'Project' });

export const projectPage = page('ProjectPage', project);

const counted = () => z.number().int().min(0).max(MAX_COUNTED);
export const projectContents = z
  .object({ builds: counted(), releases: counted(), channels: counted(), pending_uploads: counted() })
  .meta({ id: 'ProjectContents' });

/** The longest name of a project in characters. */
export const MAX_NAME_LENGTH = 100;

export const bundleIdentifier = z
  .string()
  .max(255)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'Input should be a bundle identifier such as com.example.app');

export const projectInput = z
  .object({
    name: nameLine(MAX_NAME_LENGTH),
    platform,
    description: prose(2000).nullish(),
    bundle_identifier: bundleIdentifier.nullish(),
    sibling_project_id: id()
      .nullish()
      .meta({ description: 'Project of the same app for another platform, to link the new one with' }),
  })
  .meta({ id: 'ProjectInput' });

export const siblingInput = z.object({ sibling_project_id: id() }).meta({ id: 'ProjectSiblingInput' });

export const projectChange = projectInput
  .omit({ platform: true, sibling_project_id: true })
  .partial()
  .extend({ size_budget_bytes: z.int().min(1).max(Number.MAX_SAFE_INTEGER).nullish() })
  .meta({ id: 'ProjectChange' });
export const inProjectPath = z.object({ project_id: id() });

export type ProjectSibling = z.input<typeof sibling>;
export type Project = z.input<typeof project>;
export type ProjectContents = z.input<typeof projectContents>;
export type ProjectInput = z.output<typeof projectInput>;
export type ProjectChange = z.output<typeof projectChange>;
