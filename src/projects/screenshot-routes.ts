// Operations for the screenshots of projects.
import { empty, fromPath, media, type Operation, operation } from '../http/operation.ts';
import { imageBody } from '../images/service.ts';
import { inProjectPath } from './schema.ts';
import { MAX_SCREENSHOT_BYTES, MAX_SCREENSHOTS } from './screenshot-limits.ts';
import { inScreenshotPath, screenshot, screenshotOrder, screenshots } from './screenshot-schema.ts';
import { addScreenshot, orderScreenshots, readScreenshot, readScreenshots, removeScreenshot } from './screenshots.ts';
import { locateProject } from './store.ts';

const tag = 'Projects';
const tenant = fromPath('project_id', locateProject);
const path = '/api/v1/projects/{project_id}/screenshots';

export const screenshotRoutes: Operation[] = [
  operation({
    id: 'listScreenshots',
    tag,
    summary: 'List the screenshots of a project',
    method: 'get',
    path,
    access: { kind: 'project', permission: 'project.read', tenant },
    params: inProjectPath,
    returns: screenshots,
    status: 200,
    handle: (ctx) => readScreenshots(ctx),
  }),
  operation({
    id: 'addScreenshot',
    tag,
    summary: 'Add a screenshot to a project',
    description: `PNG, JPEG or WebP, detected from the content, up to ${MAX_SCREENSHOT_BYTES / 2 ** 20} MiB. Install pages show it to everyone who can install the app. A project can have at most ${MAX_SCREENSHOTS}.`,
    method: 'post',
    path,
    access: { kind: 'project', permission: 'project.edit_icon', tenant },
    params: inProjectPath,
    body: { ...imageBody, maximumBytes: () => MAX_SCREENSHOT_BYTES },
    returns: screenshot,
    status: 201,
    errors: [503],
    handle: (ctx, { body }) => addScreenshot(ctx, body),
  }),
  operation({
    id: 'orderScreenshots',
    tag,
    summary: 'Change the order of the screenshots of a project',
    description: 'Name each screenshot once.',
    method: 'put',
    path,
    access: { kind: 'project', permission: 'project.edit_icon', tenant },
    params: inProjectPath,
    body: screenshotOrder,
    returns: screenshots,
    status: 200,
    handle: (ctx, { body }) => orderScreenshots(ctx, body.screenshot_ids),
  }),
  operation({
    id: 'getScreenshot',
    tag,
    summary: 'Screenshot of a project, as uploaded',
    method: 'get',
    path: `${path}/{screenshot_id}`,
    access: { kind: 'project', permission: 'project.read', tenant },
    params: inScreenshotPath,
    returns: media('image/*'),
    status: 200,
    isConditional: true,
    errors: [503],
    handle: (ctx, { params }) => readScreenshot(ctx, params.screenshot_id),
  }),
  operation({
    id: 'deleteScreenshot',
    tag,
    summary: 'Delete a screenshot of a project',
    method: 'delete',
    path: `${path}/{screenshot_id}`,
    access: { kind: 'project', permission: 'project.edit_icon', tenant },
    params: inScreenshotPath,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => removeScreenshot(ctx, params.screenshot_id),
  }),
];
