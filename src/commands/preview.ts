// taxiway preview: builds of pull requests, each in a channel of its own that ends automatically.
import { Command } from 'commander';
import { Refusal, UsageError } from '../lib/failure.ts';
import type { Api } from './client/api.ts';
import { readCiSource } from './client/ci-systems.ts';
import { findForge, writeComment } from './client/comments.ts';
import { connect } from './client/connection.ts';
import { findChannel, findProject, listAll } from './client/lookup.ts';
import { qrAddressOf } from './client/outputs.ts';
import { type Build, Nothing, Preview, type Project } from './client/shapes.ts';
import { nameBuild } from './client/status.ts';
import { type CommandHost, plainText } from './host.ts';
import { formatTable } from './table.ts';
import { addUploadOptions, type UploadOptions, upload } from './upload.ts';

interface PublishOptions extends UploadOptions {
  template?: string;
  comment: boolean;
}

interface PreviewOptions {
  project?: string;
  organization?: string;
  pullRequest?: string;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  taxiway preview publish app.apk --pull-request 123 --template beta
  taxiway preview publish app.apk --template beta --notes-from-git
  taxiway preview close --pull-request 123
  taxiway preview list

In a CI job for a pull request, --pull-request can be left out.
`;

export function buildPreviewCommand(host: CommandHost): Command {
  const preview = new Command('preview')
    .description('Publishes builds of pull requests, each to a channel of its own that ends automatically.')
    .addHelpText('after', EXAMPLES);
  const publishing = addUploadOptions(preview.command('publish'));
  // The channel is the preview. The option is only accepted to say so.
  publishing.options.find(({ long }) => long === '--channel')?.hideHelp();
  publishing
    .description('Uploads a package and releases it to the preview of a pull request, which is opened or kept open.')
    .argument('<file>', 'the package')
    .option('--template <id|name>', 'channel whose settings a new preview gets')
    .option('--no-comment', "don't comment on the pull request")
    .addHelpText('after', EXAMPLES)
    .action((path: string, options: PublishOptions) => publish(host, path, options));
  inProject(preview.command('close'))
    .description('Ends the preview of a pull request. Its builds stay.')
    .option('--pull-request <number>', 'pull request or merge request; by default the one of the CI system')
    .addHelpText('after', EXAMPLES)
    .action((options: PreviewOptions) => close(host, options));
  inProject(preview.command('list'))
    .description('Lists the open previews of a project, newest first.')
    .option('--json', 'print them as a JSON array')
    .addHelpText('after', EXAMPLES)
    .action((options: PreviewOptions) => list(host, options));
  return preview;
}

function inProject(command: Command): Command {
  return command
    .option('--project <id|name>', 'project; not needed with a project access token')
    .option('--organization <id|name>', 'organization to look for the project in');
}

function readPullRequest({ env }: CommandHost, stated: string | undefined): number {
  const text = stated ?? readCiSource(env)?.pull_request;
  if (text === undefined) throw new UsageError('name the pull request with --pull-request NUMBER');
  const number = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > 2_147_483_647) throw new UsageError('--pull-request must be a whole number from 1');
  return number;
}

const queryOf = (project: Project) => ({ organization_id: project.organization_id, project_id: project.identifier });

async function publish(host: CommandHost, path: string, options: PublishOptions): Promise<void> {
  if (options.channel !== undefined) throw new UsageError('--channel is the preview itself; leave it out');
  const pullRequest = readPullRequest(host, options.pullRequest);
  const forge = options.comment ? findForge(host) : undefined;
  const state: { opened?: Preview } = {};
  const done = await upload(host, path, { ...options, pullRequest: String(pullRequest) }, async (api, project) => {
    const template = options.template === undefined ? undefined : await findChannel(api, project, options.template);
    const body = { pull_request: pullRequest, ...(template && { template_channel_id: template.identifier }) };
    const request = { method: 'POST', path: '/previews', query: queryOf(project), body, isRepeatable: true } as const;
    const opened = await api.send(request, Preview);
    state.opened = opened;
    return opened.channel;
  });
  const { opened } = state;
  if (opened === undefined) return;
  if (options.json !== true) host.print(`preview   PR ${pullRequest}, until ${plainText(opened.ends_at)}\n`);
  if (forge === undefined) {
    if (options.comment) host.say('No comment: set GITHUB_TOKEN in GitHub Actions, or GITLAB_TOKEN in GitLab.\n');
    return;
  }
  try {
    const text = describePreview(done.api, done.project, opened, done.build);
    await writeComment(forge, pullRequest, markOf(done.project), text);
    host.say(`Commented on pull request ${pullRequest}.\n`);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // The build is there: a missing comment must not look like a failed upload.
    host.say(`Warning: the comment on pull request ${pullRequest} failed: ${error.message}\n`);
  }
}

/** Each project has a comment of its own: an app for two platforms has two. */
const markOf = ({ identifier }: Project) => `<!-- taxiway-preview ${identifier} -->`;

/** Returns the comment in Markdown. Forges load the image from the server, so it needs https. */
function describePreview(api: Api, project: Project, preview: Preview, build: Build): string {
  const { install_url: install, identifier } = preview.channel;
  const address = install ?? `${api.url}/install/channels/${identifier}`;
  const qr = qrAddressOf(api, preview.channel);
  const image = qr.startsWith('https://')
    ? `\n\n<img src="${qr}" width="180" height="180" alt="QR code of the install page">`
    : '';
  const ends = preview.ends_at.slice(0, 10);
  return `### Preview of ${escapeMarkdown(project.name)}

[**Install ${escapeMarkdown(nameBuild(build))}**](${address}) · [Build](${api.url}/projects/${project.identifier}/builds/${build.identifier})${image}

Until ${ends}, or longer if a new build is published.`;
}

/** Names come from people and packages, and must not add links or mentions to a comment. */
function escapeMarkdown(text: string): string {
  return plainText(text)
    .replace(/[\\`*_{}[\]()#+\-.!|<>~]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('@', '&#64;');
}

async function close(host: CommandHost, options: PreviewOptions): Promise<void> {
  const pullRequest = readPullRequest(host, options.pullRequest);
  const api = connect(host);
  const project = await findProject(api, options);
  let open: Preview | undefined;
  for await (const one of listAll(api, '/previews', queryOf(project), Preview)) {
    if (one.pull_request === pullRequest) open = one;
  }
  if (open === undefined) throw new Refusal(`pull request ${pullRequest} has no open preview`);
  await api.send({ method: 'DELETE', path: `/previews/${encodeURIComponent(open.identifier)}` }, Nothing);
  host.say(`Ended the preview of pull request ${pullRequest}.\n`);
}

async function list(host: CommandHost, options: PreviewOptions): Promise<void> {
  const api = connect(host);
  const project = await findProject(api, options);
  const previews: Preview[] = [];
  for await (const one of listAll(api, '/previews', queryOf(project), Preview)) previews.push(one);
  if (options.json === true) {
    host.print(`${JSON.stringify(previews, null, 2)}\n`);
    return;
  }
  if (previews.length === 0) host.say(`${plainText(project.name)} has no open previews.\n`);
  const rows = previews.map(({ pull_request: number, channel, ends_at: endsAt }) => [
    `PR ${number}`,
    `until ${plainText(endsAt)}`,
    channel.install_url ?? '',
  ]);
  host.print(formatTable(rows));
}
