// Wire shapes of the members of a project.
import { dateTime, id, page } from '../../lib/shapes.ts';
import * as z from '../../lib/zod.ts';
import { projectRole } from '../schema.ts';

export const projectMember = z
  .object({
    developer_id: id(),
    email: z.string(),
    display_name: z.string(),
    role: projectRole,
    created_at: dateTime().meta({ description: 'Time at which the developer joined the project' }),
  })
  .meta({ id: 'ProjectMember' });

export const projectMemberPage = page('ProjectMemberPage', projectMember);
export const projectMemberChange = z.object({ role: projectRole }).meta({ id: 'ProjectMemberChange' });
export const inProjectMemberPath = z.object({ project_id: id(), developer_id: id() });

export type ProjectMember = z.input<typeof projectMember>;
export type ProjectMemberChange = z.output<typeof projectMemberChange>;
