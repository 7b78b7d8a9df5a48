// The command that uploads to a project.

import { platformFacts } from '../../../platforms.ts';
import type { Project } from '../../../projects/schema.ts';
import { shellQuote } from '../../components/shell-quote.ts';
import { readServerAddress, readServerInfo } from '../../shell/server-info.ts';

/** Returns the file extension of a project's packages, such as `.apk`. */
export function packageEnding({ platform }: Pick<Project, 'platform'>): string {
  return `.${platformFacts[platform].extension}`;
}

/** Returns the command. With a channel, it also releases. */
export function uploadCommand(project: Pick<Project, 'name' | 'platform'>, channel?: string): string {
  const { name } = project;
  const file = `app${packageEnding(project)}`;
  const onto = channel === undefined ? '' : ` --channel ${shellQuote(channel)}`;
  const { program } = readServerInfo();
  return `${program} login --url ${readServerAddress()}\n${program} upload ${file} --project ${shellQuote(name)}${onto}`;
}
