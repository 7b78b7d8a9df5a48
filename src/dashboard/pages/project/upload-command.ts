// The command line that uploads into a project.
import { platformFacts } from '../../../platforms.ts';
import type { Project } from '../../../projects/schema.ts';
import { readFacts, readServerAddress } from '../../shell/facts.ts';

/** Quoted for a shell where the name needs it. */
function quote(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** How the name of a project's packages ends. */
export function packageEnding({ platform }: Pick<Project, 'platform'>): string {
  return `.${platformFacts[platform].extension}`;
}

/** The command; with a channel it releases as well. */
export function uploadCommand(project: Pick<Project, 'name' | 'platform'>, channel?: string): string {
  const { name } = project;
  const file = `app${packageEnding(project)}`;
  const onto = channel === undefined ? '' : ` --channel ${quote(channel)}`;
  const { program } = readFacts();
  return `${program} login --url ${readServerAddress()}\n${program} upload ${file} --project ${quote(name)}${onto}`;
}
