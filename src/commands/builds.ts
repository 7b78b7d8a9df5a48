// taxiway builds: the builds of a project, newest first.
import { Command, Option } from 'commander';
import { formatBytes } from '../lib/formats.ts';
import { connect } from './client/connection.ts';
import { findProject, listAll } from './client/lookup.ts';
import { Build } from './client/shapes.ts';
import { nameBuild, readStatusLines } from './client/status.ts';
import { type CommandHost, plainText } from './host.ts';
import { readLimit } from './limit-option.ts';
import { formatTable } from './table.ts';

interface BuildsOptions {
  project?: string;
  organization?: string;
  status: string;
  limit: number;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  taxiway builds --project "My App"
  taxiway builds --project "My App" --status all --limit 5 --json
`;

export function buildBuildsCommand(host: CommandHost): Command {
  return new Command('builds')
    .description('Lists the builds of a project, newest first.')
    .option('--project <id|name>', 'project; not needed with a project access token')
    .option('--organization <id|name>', 'organization to look for the project in')
    .addOption(new Option('--status <status>', 'which builds').choices(['active', 'revoked', 'all']).default('active'))
    .option('--limit <number>', 'maximum number of results', readLimit, 20)
    .option('--json', 'print them as a JSON array')
    .addHelpText('after', EXAMPLES)
    .action((options: BuildsOptions) => listBuilds(host, options));
}

async function listBuilds(host: CommandHost, options: BuildsOptions): Promise<void> {
  const api = connect(host);
  const project = await findProject(api, { project: options.project, organization: options.organization });
  const query = {
    organization_id: project.organization_id,
    project_id: project.identifier,
    status: options.status,
    limit: String(Math.min(options.limit, 1000)),
  };
  const builds: Build[] = [];
  for await (const build of listAll(api, '/builds', query, Build)) {
    builds.push(build);
    if (builds.length === options.limit) break;
  }
  if (options.json === true) {
    host.print(`${JSON.stringify(builds, null, 2)}\n`);
    return;
  }
  if (builds.length === 0) host.say(`${plainText(project.name)} has no matching builds.\n`);
  const lines = await readStatusLines(api, builds);
  const rows = builds.map((build) => [
    build.identifier,
    nameBuild(build),
    formatBytes(build.size_bytes, 'en'),
    plainText(build.uploaded_at),
    typeof build.revoked_at === 'string' ? 'revoked' : (lines.get(build.identifier) ?? ''),
  ]);
  host.print(formatTable(rows));
}
