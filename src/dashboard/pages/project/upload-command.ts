// The command line that uploads into a project.
import type { Project } from '../../../projects/schema.ts';
import { readServerAddress } from '../../shell/facts.ts';

/** Quoted for a shell where the name needs it. */
function quote(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The command; with a channel it releases as well. */
export function uploadCommand({ name, platform }: Pick<Project, 'name' | 'platform'>, channel?: string): string {
  const file = platform === 'ios' ? 'app.ipa' : 'app.apk';
  const onto = channel === undefined ? '' : ` --channel ${quote(channel)}`;
  return `taxiway login --url ${readServerAddress()}\ntaxiway upload ${file} --project ${quote(name)}${onto}`;
}
