// AndroidManifest.xml: the displayed declarations, identified by resource id like on Android.
import { type CompiledElement, walkCompiledXml } from './compiled-xml.ts';
import { UnreadableArchive } from './errors.ts';
import { resolveBoolean, resolveText } from './resource-lookup.ts';
import type { ResourceTable } from './resource-table.ts';
import type { ResourceValue } from './resource-value.ts';
import { cleanList, cleanText } from './text.ts';

// Resource ids of android.R.attr.
const attribute = {
  label: 0x01010001,
  icon: 0x01010002,
  name: 0x01010003,
  debuggable: 0x0101000f,
  minSdkVersion: 0x0101020c,
  versionCode: 0x0101021b,
  versionName: 0x0101021c,
  targetSdkVersion: 0x01010270,
  testOnly: 0x01010272,
  banner: 0x010103f2,
  roundIcon: 0x0101052c,
  versionCodeMajor: 0x01010576,
  isSplitRequired: 0x01010591,
  requiredSplitTypes: 0x0101064e,
} as const;

type AttributeName = keyof typeof attribute;

const maxPermissions = 1_000;
const deepestDeclaration = 5;

export interface Manifest {
  readonly packageName: string;
  readonly versionName: string | null;
  readonly versionCode: string | null;
  readonly label: string | null;
  readonly minSdk: string | null;
  readonly targetSdk: string | null;
  readonly isDebuggable: boolean;
  readonly isTestOnly: boolean;
  readonly split: string | null;
  /** Whether Android installs it only together with its splits. */
  readonly needsSplits: boolean;
  readonly permissions: string[];
  /** Values of the icon attributes, best first. */
  readonly icons: ResourceValue[];
}

/** Reads a compiled manifest. `table` resolves references and is optional. Throws if the manifest is invalid. */
export function readManifest(bytes: Buffer, table: ResourceTable | null): Manifest {
  let root: CompiledElement | null = null;
  const levels: CompiledElement[] = [];
  let application: CompiledElement | null = null;
  let activity: CompiledElement | null = null;
  let launcher: CompiledElement | null = null;
  const permissions: (string | null)[] = [];
  walkCompiledXml(bytes, (element) => {
    if (element.path.length > deepestDeclaration) return;
    switch (element.path.join('/')) {
      case 'manifest':
        root ??= element;
        break;
      case 'manifest/uses-sdk':
        levels.push(element);
        break;
      case 'manifest/uses-permission':
        permissions.push(resolveText(attributeOf(element, 'name'), table));
        break;
      case 'manifest/application':
        application ??= element;
        break;
      case 'manifest/application/activity':
      case 'manifest/application/activity-alias':
        activity = element;
        break;
      case 'manifest/application/activity/intent-filter/category':
      case 'manifest/application/activity-alias/intent-filter/category':
        if (resolveText(attributeOf(element, 'name'), table) === 'android.intent.category.LAUNCHER')
          launcher ??= activity;
        break;
    }
  });
  const text = (element: CompiledElement | null, name: AttributeName) => resolveText(attributeOf(element, name), table);
  const isSet = (name: AttributeName, element: CompiledElement | null = application) =>
    resolveBoolean(attributeOf(element, name), table);
  return {
    packageName: readPackageName(root),
    versionName: cleanText(text(root, 'versionName'), 100),
    versionCode: readVersionCode(text(root, 'versionCode'), text(root, 'versionCodeMajor')),
    label: cleanText(text(application, 'label')) ?? cleanText(text(launcher, 'label')),
    minSdk: highestLevel(levels.map((sdk) => cleanText(text(sdk, 'minSdkVersion'), 32))),
    targetSdk: cleanText(text(levels.at(-1) ?? null, 'targetSdkVersion'), 32),
    isDebuggable: isSet('debuggable'),
    isTestOnly: isSet('testOnly'),
    split: cleanText(plainText(root, 'split')),
    needsSplits: isSet('isSplitRequired', root) || cleanText(text(root, 'requiredSplitTypes')) !== null,
    permissions: cleanList(permissions, maxPermissions),
    icons: [
      attributeOf(application, 'icon'),
      attributeOf(application, 'roundIcon'),
      attributeOf(launcher, 'icon'),
      attributeOf(application, 'banner'),
    ].filter((value) => value !== undefined),
  };
}

/** Android rejects a package at the first minimum level that is too high for it. A code name is higher than all numbers. */
function highestLevel(levels: readonly (string | null)[]): string | null {
  const rank = (level: string | null) => (level === null ? -1 : /^\d+$/.test(level) ? Number(level) : Number.MAX_VALUE);
  return levels.reduce((highest, level) => (rank(level) >= rank(highest) ? level : highest), null);
}

function attributeOf(element: CompiledElement | null, name: AttributeName): ResourceValue | undefined {
  const found = element?.attributes.find((candidate) => candidate.resourceId === attribute[name]);
  return (found ?? element?.attributes.find((candidate) => candidate.resourceId === null && candidate.name === name))
    ?.value;
}

// Android finds `package` and `split` by name, with any resource id but without a namespace.
function plainText(element: CompiledElement | null, name: string): string | null {
  const found = element?.attributes.find((candidate) => !candidate.hasNamespace && candidate.name === name);
  return found?.source ?? found?.value.text ?? null;
}

function readPackageName(root: CompiledElement | null): string {
  const name = plainText(root, 'package');
  if (name === null || name === '') throw new UnreadableArchive('The manifest declares no package name.');
  if (!/^[A-Za-z0-9_.]{1,255}$/.test(name)) {
    throw new UnreadableArchive('The package name has characters other than letters, digits, dots and underscores.');
  }
  return name;
}

// Android's long version code: versionCodeMajor in the upper and versionCode in the lower 32 bits.
function readVersionCode(code: string | null, major: string | null): string | null {
  if (code === null || !/^-?\d{1,10}$/.test(code)) return cleanText(code, 32);
  if (major === null || !/^-?\d{1,10}$/.test(major) || major === '0') return code;
  return ((BigInt.asUintN(32, BigInt(major)) << 32n) | BigInt.asUintN(32, BigInt(code))).toString();
}
