// Commands for CI jobs that use a project access token.

import type { ProjectRole } from '../../../permissions.ts';
import type { Project } from '../../../projects/schema.ts';
import { packageEnding } from '../project/upload-command.ts';

export interface CiCommandOptions {
  /** The URL of the server with its base path. */
  server: string;
  project: Pick<Project, 'organization_id' | 'identifier' | 'platform'>;
  token: string;
  role: ProjectRole;
}

const uploaders: readonly ProjectRole[] = ['read_download_upload', 'maintainer', 'admin'];
const releasers: readonly ProjectRole[] = ['maintainer', 'admin'];

function exportVariables({ server, token }: CiCommandOptions): string {
  return `export TAXIWAY_URL='${server}'\nexport TAXIWAY_TOKEN='${token}'`;
}

/** Returns the commands with the taxiway program: upload, and release if the role allows it; otherwise list builds. */
export function commandWithProgram(place: CiCommandOptions): string {
  const file = `app${packageEnding(place.project)}`;
  const onto = releasers.includes(place.role) ? ' --channel beta' : '';
  return `${exportVariables(place)}\n${uploaders.includes(place.role) ? `taxiway upload ${file}${onto}` : 'taxiway builds'}`;
}

/** Returns the same commands with curl. */
export function commandWithCurl(place: CiCommandOptions): string {
  const { organization_id: organization, identifier: project } = place.project;
  const here = `HERE='organization_id=${organization}&project_id=${project}'`;
  const authorization = `-H "Authorization: Bearer $TAXIWAY_TOKEN"`;
  if (!uploaders.includes(place.role)) {
    return [
      exportVariables(place),
      here,
      `curl -sS --fail-with-body "$TAXIWAY_URL/api/v1/builds?$HERE" ${authorization}`,
    ].join('\n');
  }
  const file = `app${packageEnding(place.project)}`;
  return [
    exportVariables(place),
    here,
    String.raw`field() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }`,
    `post() { curl -sS --fail-with-body "$TAXIWAY_URL/api/v1/$1" ${authorization} -H 'Content-Type: application/json' -d "$2"; }`,
    `PENDING=$(post "builds/initiate?$HERE" '{"version_name":"1.0.1","build_number":101}')`,
    `curl -sS --fail-with-body -T ${file} -H 'x-ms-blob-type: BlockBlob' "$(echo "$PENDING" | field upload_url)"`,
    `SHA256=$(sha256sum ${file} | cut -d ' ' -f 1)`,
    String.raw`post "builds/$(echo "$PENDING" | field pending_upload_id)/complete?$HERE" "{\"sha256\":\"$SHA256\"}"`,
  ].join('\n');
}
