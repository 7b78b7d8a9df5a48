// taxiway upload: uploads a package and optionally releases it to a channel.

import { resolve } from 'node:path';
import { Command } from 'commander';
import { displayBuildNumber } from '../builds/build-number.ts';
import { Refusal, UsageError } from '../lib/failure.ts';
import { formatBytes } from '../lib/formats.ts';
import { platformFacts, platforms } from '../platforms.ts';
import { type Api, ApiRefusal } from './client/api.ts';
import { findSource, readLabels, readSourceOptions, type SourceOptions } from './client/build-source.ts';
import { connect } from './client/connection.ts';
import { readGitNotes } from './client/git-notes.ts';
import { findChannel, findProject } from './client/lookup.ts';
import { writeOutputs } from './client/outputs.ts';
import { hashFile, identifyBuild, openPackage, type PackageFile, type PackageIdentity } from './client/package-file.ts';
import { printRelease, type ReleaseSettings, releaseBuild, takeAutomaticRelease } from './client/releasing.ts';
import { type Build, Channel, type Project, type Release } from './client/shapes.ts';
import { confirmRelease, describeExpiry, nameBuild, readStatusLines } from './client/status.ts';
import { uploadPackage } from './client/uploading.ts';
import { type CommandHost, plainText } from './host.ts';
import { type NotesOptions, readNotes } from './release-notes.ts';

export interface UploadOptions extends SourceOptions, NotesOptions {
  project?: string;
  organization?: string;
  versionName?: string;
  buildNumber?: string;
  nextBuildNumber?: boolean;
  bundleIdentifier?: string;
  allowOtherIdentifier?: boolean;
  channel?: string;
  notesFromGit?: boolean;
  mandatory?: boolean;
  yes?: boolean;
  json?: boolean;
  outputs?: string;
  qrImage?: string;
}

const EXAMPLES = `
Examples:
  taxiway upload app.ipa --project "My App"
  TAXIWAY_URL=https://builds.example.com TAXIWAY_TOKEN=… taxiway upload app.apk --channel beta --notes-file notes.md
  taxiway upload app.apk --label nightly --branch "$(git branch --show-current)"

With a project access token, --project can be left out. If the package was already uploaded, the command finds its build and
succeeds.
`;

export function buildUploadCommand(host: CommandHost): Command {
  return addUploadOptions(new Command('upload'))
    .description('Uploads an .ipa or .apk. With --channel, also releases it.')
    .argument('<file>', 'the package')
    .addHelpText('after', EXAMPLES)
    .action((path: string, options: UploadOptions) => upload(host, path, options).then(() => undefined));
}

/** Adds the options of an upload to a command. */
export function addUploadOptions(command: Command): Command {
  return command
    .option('--project <id|name>', 'project of the build, by its ID or its exact name')
    .option('--organization <id|name>', 'organization to look for the project in')
    .option('--version-name <text>', "version, instead of the package's own")
    .option('--build-number <number>', "build number, instead of the package's own")
    .option('--next-build-number', 'use the next free build number if another package has this one')
    .option('--bundle-identifier <text>', 'bundle identifier or package name')
    .option('--allow-other-identifier', "upload an app whose identifier isn't the project's")
    .option('--channel <id|name>', 'channel to release the build to')
    .option('--notes <text>', 'release notes, in Markdown')
    .option('--notes-file <file>', 'file with the release notes')
    .option('--notes-from-git', 'release notes: subjects of the commits since the build that is live on the channel')
    .option('--mandatory', 'make the release mandatory')
    .option('--commit <hash>', 'commit of the build, instead of the one of the CI system or git')
    .option('--branch <name>', 'branch of the build')
    .option('--tag <name>', 'tag of the build')
    .option('--pull-request <number>', 'pull request or merge request of the build')
    .option('--repository <url>', 'repository of the build')
    .option('--run-url <url>', 'address of the CI run')
    .option('--author <name>', 'author of the commit')
    .option('--no-source', "don't read the source of the build from the CI system and git")
    .option('--label <text>', 'label of the build; can be repeated', (label: string, all: string[] = []) => [
      ...all,
      label,
    ])
    .option('--yes', 'release a build that nobody can install, without asking')
    .option('--json', 'print build and release as JSON')
    .option('--outputs <file>', 'append the results to a file as lines such as build_id=…')
    .option('--qr-image <file>', 'save the QR code of the install page as PNG');
}

interface Uploaded {
  api: Api;
  project: Project;
  build: Build;
}

/** Uploads a package and releases it to the channel of the options, or to the one that `openChannel` returns. Throws Refusal. */
export async function upload(
  host: CommandHost,
  path: string,
  options: UploadOptions,
  openChannel?: (api: Api, project: Project) => Promise<Channel>,
): Promise<Uploaded> {
  const written = readNotes(host, options);
  checkNotesFromGit(options, openChannel !== undefined);
  const labels = readLabels(options);
  const stated = readSourceOptions(options);
  const file = await openPackage(resolve(host.cwd, path));
  const api = connect(host);
  const { project: wanted, organization } = options;
  const project = await findProject(api, { project: wanted, organization, platform: guessPlatform(file.name) });
  const named = options.channel === undefined ? undefined : await findChannel(api, project, options.channel);
  const identity = await identifyBuild(file, project.platform, options);
  if (options.allowOtherIdentifier !== true) checkSameApp(project, file, identity);
  const channel = openChannel === undefined ? named : await openChannel(api, project);
  host.say(
    `${plainText(file.name)}: ${describePackage(project, identity)}, ${formatBytes(file.size, 'en')}, to ${plainText(project.name)}\n`,
  );
  const notes =
    options.notesFromGit === true && channel !== undefined
      ? await readGitNotes(host, api, channel, project.platform)
      : written;
  const sha256 = await hashFile(file.path);
  const takesNextNumber = options.nextBuildNumber === true;
  const source = await findSource(host, stated, options);
  const origin = { source, labels };
  const request = { project, file, identity, sha256, notes, origin, takesNextNumber };
  const { build, isNew, mayBeReleased } = await uploadPackage(host, api, request);
  if (!isNew) reportKnown(host, file.name, build, labels);
  const status = (await readStatusLines(api, [build])).get(build.identifier);
  warnOf(host, project, identity, build);
  const settings = { notes, isMandatory: options.mandatory === true };
  const release =
    channel === undefined
      ? undefined
      : await releaseUploaded(host, api, {
          build,
          mayBeReleased,
          channel,
          settings,
          isConfirmed: options.yes === true,
        });
  if (release?.is_current === false && channel !== undefined) {
    const command = `taxiway release ${build.identifier} --channel ${channel.identifier}`;
    host.say(`${plainText(channel.name)} has a newer release. To release this build again: ${command}\n`);
  }

  await writeOutputs(host, api, { build, release, channel }, options).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    const released = release === undefined ? '' : ` and released to ${plainText(channel?.name ?? '')}`;
    throw new Refusal(`${error.message}\nBuild ${build.identifier} was uploaded${released}.`);
  });

  if (options.json === true) {
    if (build.installability?.status === 'uninstallable') host.say(`Warning: ${status}.\n`);
    const url = channel?.install_url ?? null;
    host.print(`${JSON.stringify({ build, release: release ?? null, install_url: url }, null, 2)}\n`);
  } else {
    await printResults(host, api, { build, release, channel, sha256, status });
  }
  return { api, project, build };
}

interface Results {
  build: Build;
  release: Release | undefined;
  channel: Channel | undefined;
  sha256: string;
  /** Why phones can't install it, or what to know about it; undefined if there is nothing to say. */
  status: string | undefined;
}

async function printResults(
  host: CommandHost,
  api: Api,
  { build, release, channel, sha256, status }: Results,
): Promise<void> {
  host.print(`build     ${build.identifier}\nversion   ${nameBuild(build)}\nsha256    ${sha256}\n`);
  if (status !== undefined) host.print(`status    ${status}\n`);
  for (const name of await nameAutomaticChannels(api, build)) host.print(`released  automatically to ${name}\n`);
  if (release !== undefined && channel !== undefined) await printRelease(host, release, channel);
}

/** Reports that the server already has the package, whose labels stay as they are. */
function reportKnown(host: CommandHost, name: string, build: Build, labels: readonly string[]): void {
  host.say(`${plainText(name)} is already on the server as build ${build.identifier}; not uploaded again.\n`);
  const kept = new Set(Array.isArray(build.labels) ? build.labels.map((label) => String(label).toLowerCase()) : []);
  if (labels.some((label) => !kept.has(label.toLowerCase()))) host.say('Its labels stay as they are.\n');
}

/** Warns of an expiring profile, a large package, and a versionCode that isn't the number of the build. */
function warnOf(host: CommandHost, project: Project, { own }: PackageIdentity, build: Build): void {
  const warnings: string[] = [];
  const expiry = describeExpiry(build, host.now());
  if (expiry !== undefined) warnings.push(expiry);
  if (typeof build.over_budget_bytes === 'number') {
    warnings.push(`${formatBytes(build.over_budget_bytes, 'en')} over the size budget of the project`);
  }
  const code = own.build_number;
  if (project.platform === 'android' && code !== null && Number(code) !== build.build_number) {
    const versionCode = plainText(code);
    warnings.push(
      `the versionCode of the package is ${versionCode}; phones use it for updates, not ${build.build_number}`,
    );
  }
  for (const warning of warnings) host.say(`Warning: ${warning}.\n`);
}

function checkNotesFromGit({ notesFromGit, notes, notesFile, channel }: UploadOptions, opensChannel: boolean): void {
  if (notesFromGit !== true) return;
  if (notes !== undefined) throw new UsageError('--notes-from-git: use either this or --notes');
  if (notesFile !== undefined) throw new UsageError('--notes-from-git: use either this or --notes-file');
  if (channel === undefined && !opensChannel)
    throw new UsageError(
      '--notes-from-git: requires --channel, because the notes begin after the build that is live there',
    );
}

/** The first build of a project sets its bundle identifier. Throws Refusal for another app. */
function checkSameApp(project: Project, file: PackageFile, { own, bundle_identifier: stated }: PackageIdentity): void {
  const { bundle_identifier: pinned } = project;
  const identifier = own.bundle_identifier ?? stated;
  if (typeof pinned !== 'string' || identifier === undefined || identifier === pinned) return;
  throw new Refusal(
    `${file.name} is ${plainText(identifier)}, but the app of ${plainText(project.name)} is ${plainText(pinned)}.\n` +
      'Choose another project, or add --allow-other-identifier to upload it anyway.',
  );
}

interface ReleaseRequest {
  build: Build;
  mayBeReleased: boolean;
  channel: Channel;
  settings: ReleaseSettings;
  isConfirmed: boolean;
}

/**
 * Releases an uploaded build, unless the channel did so automatically. If that fails, throws a Refusal that says that
 * the build was uploaded.
 */
async function releaseUploaded(host: CommandHost, api: Api, request: ReleaseRequest): Promise<Release> {
  const { build, mayBeReleased, channel, settings } = request;
  const automatic = build.released_to?.find(({ channel_id: id }) => id === channel.identifier);
  // The server has just released the build automatically, with the notes of the build.
  if (automatic !== undefined) return takeAutomaticRelease(api, automatic.release_id, channel, settings.isMandatory);
  try {
    // Also an older release: a repeated upload must not take testers back to its build.
    const reused = mayBeReleased || channel.auto_distribute ? 'active' : 'none';
    return await releaseBuild(api, { build, channel, settings, reused }, () =>
      confirmRelease(host, build, channel.name, request.isConfirmed),
    );
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const isForbidden = error instanceof ApiRefusal && error.status === 403;
    const way = isForbidden ? 'To release it with a token that has the maintainer role' : 'To release it';
    const flag = build.installability?.status === 'uninstallable' ? ' --yes' : '';
    throw new Refusal(
      `${error.message}\nBuild ${build.identifier} was uploaded, but not released to ${plainText(channel.name)}.\n` +
        `${way}: taxiway release ${build.identifier} --channel ${channel.identifier}${flag}`,
    );
  }
}

async function nameAutomaticChannels(api: Api, { released_to: releases = [] }: Build): Promise<string[]> {
  const names = releases.slice(0, 20).map(async ({ channel_id: id }) => {
    try {
      const channel = await api.send({ method: 'GET', path: `/channels/${encodeURIComponent(id)}` }, Channel);
      return plainText(channel.name);
    } catch (error) {
      // The upload succeeded: an unreadable channel name must not look like a failed upload.
      if (!(error instanceof Refusal)) throw error;
      return plainText(id);
    }
  });
  return Promise.all(names);
}

function guessPlatform(name: string): Project['platform'] | undefined {
  return platforms.find((platform) => name.toLowerCase().endsWith(`.${platformFacts[platform].extension}`));
}

/** Returns the name of the build, such as "2.3.1 (305)", without the number if it's the next free one of the project. */
function describePackage(
  { platform }: Project,
  { version_name: version, build_number: number, own }: PackageIdentity,
): string {
  const shown =
    number === undefined
      ? own.build_number
      : displayBuildNumber({ platform, buildNumber: number, packageBuildNumber: own.build_number });
  return plainText(shown === null ? version : `${version} (${shown})`);
}
