// Operations for projects.
import { empty, fromPath, fromQuery, media, type Operation, operation } from '../http/operation.ts';
import { imageBody } from '../images/service.ts';
import { id, inOrganization, pageQuery } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import {
  inProjectPath,
  project,
  projectChange,
  projectContents,
  projectInput,
  projectPage,
  siblingInput,
} from './schema.ts';
import {
  changeProject,
  createProject,
  listProjects,
  readContents,
  readProject,
  readProjectIcon,
  removeProject,
  removeProjectIcon,
  setProjectIcon,
  setSibling,
} from './service.ts';
import { unlinkSibling } from './siblings.ts';
import { locateProject } from './store.ts';

const tag = 'Projects';
const tenant = fromPath('project_id', locateProject);

/** The three icon operations, which are available at two paths. */
function iconRoutes(path: string, params: z.ZodObject, suffix: string): Operation[] {
  return [
    operation({
      id: `setProjectIcon${suffix}`,
      tag,
      summary: 'Set the icon of a project',
      description: 'PNG, JPEG or WebP, detected from the content.',
      method: 'post',
      path,
      access: { kind: 'project', permission: 'project.edit_icon', tenant },
      params,
      body: imageBody,
      returns: project,
      status: 201,
      errors: [503],
      handle: (ctx, { body }) => setProjectIcon(ctx, body),
    }),
    operation({
      id: `getProjectIcon${suffix}`,
      tag,
      summary: 'Icon of a project, as uploaded',
      method: 'get',
      path,
      access: { kind: 'project', permission: 'project.read', tenant },
      params,
      returns: media('image/*'),
      status: 200,
      isConditional: true,
      errors: [503],
      handle: (ctx) => readProjectIcon(ctx),
    }),
    operation({
      id: `deleteProjectIcon${suffix}`,
      tag,
      summary: 'Remove the icon of a project',
      method: 'delete',
      path,
      access: { kind: 'project', permission: 'project.edit_icon', tenant },
      params,
      returns: empty,
      status: 204,
      handle: (ctx) => removeProjectIcon(ctx),
    }),
  ];
}

export const projectRoutes: Operation[] = [
  operation({
    id: 'createProject',
    tag,
    summary: 'Create a project',
    description: "The platform can't be changed later.",
    method: 'post',
    path: '/api/v1/projects',
    access: { kind: 'organization', permission: 'organization.create_project', tenant: fromQuery },
    query: z.object(inOrganization),
    body: projectInput,
    returns: project,
    status: 201,
    handle: (ctx, { body }) => createProject(ctx, body),
  }),
  operation({
    id: 'listProjects',
    tag,
    summary: 'List the projects of an organization that the caller can access',
    method: 'get',
    path: '/api/v1/projects',
    access: { kind: 'organization', permission: 'organization.list_projects', tenant: fromQuery },
    query: z.object({ ...inOrganization, ...pageQuery }),
    returns: projectPage,
    status: 200,
    handle: (ctx, { query }) => listProjects(ctx, query),
  }),
  operation({
    id: 'getProject',
    tag,
    summary: 'Get a project',
    method: 'get',
    path: '/api/v1/projects/{project_id}',
    access: { kind: 'project', permission: 'project.read', tenant },
    params: inProjectPath,
    returns: project,
    status: 200,
    handle: (ctx) => readProject(ctx),
  }),
  operation({
    id: 'updateProject',
    tag,
    summary: 'Change name, description or bundle identifier of a project',
    method: 'patch',
    path: '/api/v1/projects/{project_id}',
    access: { kind: 'project', permission: 'project.edit', tenant },
    params: inProjectPath,
    body: projectChange,
    returns: project,
    status: 200,
    handle: (ctx, { body }) => changeProject(ctx, body),
  }),
  operation({
    id: 'getProjectContents',
    tag,
    summary: 'Count the builds, releases, channels and pending uploads in a project',
    description: 'Deleting the project with force=true deletes all of them. Each number is counted up to 10,000.',
    method: 'get',
    path: '/api/v1/projects/{project_id}/contents',
    access: { kind: 'project', permission: 'project.delete', tenant },
    params: inProjectPath,
    returns: projectContents,
    status: 200,
    handle: (ctx) => readContents(ctx),
  }),
  operation({
    id: 'deleteProject',
    tag,
    summary: 'Delete a project',
    description:
      'Responds with 409 dependency_exists if it has builds or pending uploads, unless force=true deletes them too.',
    method: 'delete',
    path: '/api/v1/projects/{project_id}',
    access: { kind: 'project', permission: 'project.delete', tenant },
    params: inProjectPath,
    query: z.object({ force: z.boolean().default(false) }),
    returns: empty,
    status: 204,
    handle: (ctx, { query }) => removeProject(ctx, query.force),
  }),
  operation({
    id: 'setProjectSibling',
    tag,
    summary: 'Link a project with the project of the same app for another platform',
    description:
      'Requires the role admin in both. Channels of the same name share their links: each phone gets its own platform. ' +
      'Responds with 409 already_exists if one of them is linked with another project for that platform.',
    method: 'put',
    path: '/api/v1/projects/{project_id}/sibling',
    access: { kind: 'project', permission: 'project.edit', tenant },
    params: inProjectPath,
    body: siblingInput,
    returns: project,
    status: 200,
    handle: (ctx, { body }) => setSibling(ctx, body.sibling_project_id),
  }),
  operation({
    id: 'deleteProjectSibling',
    tag,
    summary: 'Unlink a project from the other projects of its app',
    method: 'delete',
    path: '/api/v1/projects/{project_id}/sibling',
    access: { kind: 'project', permission: 'project.edit', tenant },
    params: inProjectPath,
    returns: empty,
    status: 204,
    handle: (ctx) => unlinkSibling(ctx),
  }),
  ...iconRoutes('/api/v1/projects/{project_id}/icon', inProjectPath, ''),
  ...iconRoutes(
    '/api/v1/organizations/{organization_id}/projects/{project_id}/icon',
    z.object({ organization_id: id(), project_id: id() }),
    'OfOrganization',
  ),
];
