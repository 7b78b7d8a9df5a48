// taxiway release: releases an uploaded build to a channel.
import { Command } from 'commander';
import { Refusal } from '../lib/failure.ts';
import { type Api, ApiRefusal } from './client/api.ts';
import { connect } from './client/connection.ts';
import { findChannel } from './client/lookup.ts';
import { printRelease, releaseBuild } from './client/releasing.ts';
import { Build } from './client/shapes.ts';
import { confirmRelease, nameBuild, readStatusLines } from './client/status.ts';
import type { CommandHost } from './host.ts';
import { type NotesOptions, readNotes } from './release-notes.ts';

interface ReleaseOptions extends NotesOptions {
  channel: string;
  mandatory?: boolean;
  yes?: boolean;
  json?: boolean;
}

const EXAMPLES = `
Example:
  taxiway release 0198f2c4-5b7a-7c31-9d3e-2f6a8b1c4d5e --channel beta --notes "Fixes the crash at start"
`;

export function buildReleaseCommand(host: CommandHost): Command {
  return new Command('release')
    .description('Releases a build to a channel of its project.')
    .argument('<build-id>', 'ID of the build, from "taxiway builds"')
    .requiredOption('--channel <id|name>', 'channel to release it to')
    .option('--notes <text>', 'release notes, in Markdown')
    .option('--notes-file <file>', 'file with the release notes')
    .option('--mandatory', 'make the release mandatory')
    .option('--yes', 'release a build that nobody can install, without asking')
    .option('--json', 'print the release as JSON')
    .addHelpText('after', EXAMPLES)
    .action((buildId: string, options: ReleaseOptions) => release(host, buildId, options));
}

/** Returns the build with an id. Throws Refusal if there is none. */
async function readBuild(api: Api, buildId: string): Promise<Build> {
  try {
    return await api.send({ method: 'GET', path: `/builds/${encodeURIComponent(buildId)}` }, Build);
  } catch (error) {
    if (!(error instanceof ApiRefusal) || !['not_found', 'validation_error'].includes(error.code)) throw error;
    throw new Refusal(`build "${buildId}" not found; "taxiway builds" lists builds with their IDs`);
  }
}

async function release(host: CommandHost, buildId: string, options: ReleaseOptions): Promise<void> {
  const settings = { notes: readNotes(host, options), isMandatory: options.mandatory === true };
  const api = connect(host);
  const build = await readBuild(api, buildId);
  const project = { identifier: build.project_id, organization_id: build.organization_id };
  const channel = await findChannel(api, project, options.channel);
  const status = (await readStatusLines(api, [build])).get(build.identifier);
  const confirm = () => confirmRelease(host, build, channel.name, options.yes === true);
  // The channel may have released the build by itself. An older release of it doesn't count: the build has to be current again.
  const reused = channel.auto_distribute ? 'current' : 'none';
  const released = await releaseBuild(api, { build, channel, settings, reused }, confirm);
  if (options.json === true) {
    host.print(`${JSON.stringify({ release: released, install_url: channel.install_url }, null, 2)}\n`);
    return;
  }
  host.print(`build     ${build.identifier}\nversion   ${nameBuild(build)}\n`);
  if (status !== undefined) host.print(`status    ${status}\n`);
  await printRelease(host, released, channel);
}
