// The software bill of materials of an executable: CycloneDX 1.6 in JSON, with everything that is inside.
import { createHash } from 'node:crypto';
import type { Component } from '../components.ts';

export interface SbomSubject {
  version: string;
  /** Such as `linux-x64`. */
  platform: string;
  /** SHA-256 of the executable, in hex. */
  sha256: string;
  /** Time of the sources, in seconds. */
  seconds: number;
}

/** Returns the document as text. The same components give the same text. */
export function writeSbom(
  { version, platform, sha256, seconds }: SbomSubject,
  components: readonly Component[],
): string {
  const root = `pkg:generic/taxiway@${version}?platform=${platform}`;
  const described = components.map((component) => describe(component));
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(root + sha256)}`,
    version: 1,
    metadata: {
      timestamp: new Date(seconds * 1000).toISOString(),
      lifecycles: [{ phase: 'build' }],
      component: {
        type: 'application',
        'bom-ref': root,
        name: 'taxiway',
        version,
        licenses: [{ license: { id: 'Apache-2.0' } }],
        hashes: [{ alg: 'SHA-256', content: sha256 }],
        properties: [{ name: 'taxiway:platform', value: platform }],
      },
    },
    components: described,
    dependencies: [
      { ref: root, dependsOn: components.map(refOf) },
      ...components
        .filter(({ parts: own = [] }) => own.length > 0)
        .map((component) => ({ ref: refOf(component), dependsOn: (component.parts ?? []).map(partRef(component)) })),
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function describe(component: Component, ref = refOf(component)): object {
  const { name, version, license, folder, parts = [] } = component;
  const [group, own] = name.startsWith('@') ? name.split('/') : [undefined, name];
  return {
    type: folder === undefined && name === 'node' ? 'platform' : 'library',
    'bom-ref': ref,
    ...(group === undefined ? {} : { group }),
    name: own,
    version,
    licenses: [/\s/.test(license) ? { expression: license } : { license: { id: license } }],
    purl: purlOf(component),
    ...(parts.length === 0 ? {} : { components: parts.map((part) => describe(part, partRef(component)(part))) }),
  };
}

function purlOf({ name, version, folder }: Component): string {
  if (folder === undefined) return `pkg:generic/${name}@${version}`;
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** A package can be inside twice, in two folders. */
const refOf = (component: Component): string => {
  const nesting = component.folder?.split('node_modules/').slice(1, -1).join('').replace(/\/$/, '') ?? '';
  return purlOf(component) + (nesting === '' ? '' : `#in-${nesting}`);
};

const partRef =
  (whole: Component) =>
  (part: Component): string =>
    `${purlOf(part)}#in-${whole.name}`;

/** Returns a UUID of version 5 form that depends on nothing but the text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
