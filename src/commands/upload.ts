// taxiway upload: a package travels from this machine to the server and, when asked, onto a channel.
import { resolve } from 'node:path';
import { Command } from 'commander';
import { type Api, ApiRefusal } from './client/api.ts';
import { connect } from './client/connection.ts';
import { findChannel, findProject } from './client/lookup.ts';
import { type BuildIdentity, hashFile, identifyBuild, openPackage, type PackageFile } from './client/package-file.ts';
import { createProgress, formatSize } from './client/progress.ts';
import { printRelease, type ReleaseWishes, releaseBuild } from './client/releasing.ts';
import { Build, type Channel, PendingUpload, type Project, type Release } from './client/shapes.ts';
import { sendFile } from './client/transfer.ts';
import { warnAboutPackage } from './client/warnings.ts';
import { Refusal } from './failure.ts';
import { type CommandHost, plainText } from './host.ts';
import { readNotes } from './notes.ts';

interface UploadOptions {
  project?: string;
  organization?: string;
  versionName?: string;
  buildNumber?: string;
  bundleIdentifier?: string;
  channel?: string;
  notes?: string;
  mandatory?: boolean;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  taxiway upload app.ipa --project "My App"
  TAXIWAY_URL=https://builds.example.com TAXIWAY_TOKEN=… taxiway upload app.apk --channel beta --notes @notes.txt

A project access token knows its project, so --project can be left out.
`;

export function buildUploadCommand(host: CommandHost): Command {
  return new Command('upload')
    .description('Uploads an .ipa or .apk; with --channel it is released as well.')
    .argument('<file>', 'the package')
    .option('--project <id|name>', 'project the build belongs to')
    .option('--organization <id|name>', 'organization to look for the project in')
    .option('--version-name <text>', "version, when the package's own is not wanted")
    .option('--build-number <number>', "build number, when the package's own is not wanted or not a whole number")
    .option('--bundle-identifier <text>', 'bundle identifier or package name')
    .option('--channel <id|name>', 'channel to release the build onto')
    .option('--notes <text|@file>', 'release notes')
    .option('--mandatory', 'the release must be installed')
    .option('--json', 'print build and release as JSON')
    .addHelpText('after', EXAMPLES)
    .action((path: string, options: UploadOptions) => upload(host, path, options));
}

async function upload(host: CommandHost, path: string, options: UploadOptions): Promise<void> {
  const notes = readNotes(host, options.notes);
  const file = await openPackage(resolve(host.cwd, path));
  const api = connect(host);
  const { project: wanted, organization } = options;
  const project = await findProject(api, { project: wanted, organization, platform: guessPlatform(file.name) });
  const channel = options.channel === undefined ? undefined : await findChannel(api, project, options.channel);
  const identity = await identifyBuild(file, project.platform, options);
  host.say(
    `${plainText(file.name)}: ${describeIdentity(identity)}, ${formatSize(file.size)}, to ${plainText(project.name)}\n`,
  );
  const sha256 = await hashFile(file.path);

  const pending = await initiate(api, project, file, identity, notes);
  await sendBytes(host, file, identity, pending);
  const build = await complete(api, project, pending, sha256);
  if (build.sha256 !== sha256 || build.size_bytes !== file.size) {
    throw new Refusal(
      `the server holds something else than ${file.name}: ${build.size_bytes} bytes, SHA-256 ${plainText(build.sha256)}; ` +
        `expected ${file.size} bytes, ${sha256} (build ${build.identifier})`,
    );
  }
  await warnAboutPackage(host, api, build);
  const wishes = { notes, isMandatory: options.mandatory === true };
  const release = channel === undefined ? undefined : await releaseUploaded(api, build, channel, wishes);

  if (options.json === true) {
    const url = channel?.install_url ?? null;
    host.print(`${JSON.stringify({ build, release: release ?? null, install_url: url }, null, 2)}\n`);
    return;
  }
  host.print(`build     ${build.identifier}\nversion   ${describeIdentity(identity)}\nsha256    ${sha256}\n`);
  if (release !== undefined && channel !== undefined) await printRelease(host, release, channel);
}

/** Releases what was just uploaded. Throws Refusal, which says that the build is there: to upload it again would be refused. */
async function releaseUploaded(api: Api, build: Build, channel: Channel, wishes: ReleaseWishes): Promise<Release> {
  try {
    return await releaseBuild(api, build, channel, wishes);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(
      `${error.message}\nBuild ${build.identifier} is on the server, and not released onto ${plainText(channel.name)}.\n` +
        `Release it, with a token that may, by: taxiway release ${build.identifier} --channel ${channel.identifier}`,
    );
  }
}

function guessPlatform(name: string): Project['platform'] | undefined {
  if (/\.apk$/i.test(name)) return 'android';
  return /\.ipa$/i.test(name) ? 'ios' : undefined;
}

function describeIdentity(identity: BuildIdentity): string {
  return `${plainText(identity.version_name)} (${identity.build_number})`;
}

async function initiate(
  api: Api,
  project: Project,
  file: PackageFile,
  identity: BuildIdentity,
  notes: string | undefined,
): Promise<PendingUpload> {
  const request = {
    method: 'POST',
    path: '/builds/initiate',
    query: { organization_id: project.organization_id, project_id: project.identifier },
    body: { ...identity, original_filename: file.name, ...(notes === undefined ? {} : { release_notes: notes }) },
  } as const;
  try {
    return await api.send(request, PendingUpload);
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.status !== 409) throw error;
    throw new Refusal(
      isClaimedByBuild(error.details)
        ? `${error.message}\nUse a new build number or version name. To release the build that is there: "taxiway release".`
        : `${error.message}\nVersion ${describeIdentity(identity)} is taken, by a build or by an upload that was begun and not completed. ` +
            'Use a new build number or version name, or wait until the server sweeps the unfinished upload, about an hour after it began.',
    );
  }
}

function isClaimedByBuild(details: unknown): boolean {
  return typeof details === 'object' && details !== null && 'claimed_by' in details && details.claimed_by === 'build';
}

async function sendBytes(
  host: CommandHost,
  file: PackageFile,
  identity: BuildIdentity,
  pending: PendingUpload,
): Promise<void> {
  if (file.size > pending.max_size_bytes) {
    throw new Refusal(`${file.name} has ${file.size} bytes; the server takes at most ${pending.max_size_bytes}`);
  }
  const progress = createProgress(host, 'uploading', file.size);
  try {
    await sendFile(host, file, { url: pending.upload_url, headers: pending.required_headers }, progress);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(
      `${error.message}\nThe unfinished upload keeps version ${describeIdentity(identity)} until the server sweeps it, ` +
        `some minutes after ${plainText(pending.expires_at)}; use a new build number to try again before.`,
    );
  }
}

function complete(api: Api, project: Project, pending: PendingUpload, sha256: string): Promise<Build> {
  const request = {
    method: 'POST',
    path: `/builds/${encodeURIComponent(pending.pending_upload_id)}/complete`,
    query: { organization_id: project.organization_id, project_id: project.identifier },
    body: { sha256 },
    isRepeatable: true,
  } as const;
  return api.send(request, Build);
}
