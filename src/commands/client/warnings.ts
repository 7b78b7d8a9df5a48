// What an uploader should know of a package before testers try to install it.
import { nameMinimumVersion } from '../../install/os-version.ts';
import { Refusal } from '../failure.ts';
import type { CommandHost } from '../host.ts';
import type { Api } from './api.ts';
import { type Build, Inspection } from './shapes.ts';

const DAY_MS = 86_400_000;
const SOON_MS = 14 * DAY_MS;

/** Says what the server's inspection found that keeps phones from installing a build. A token that may not read it hears nothing. */
export async function warnAboutPackage(host: CommandHost, api: Api, build: Build): Promise<void> {
  try {
    const path = `/builds/${encodeURIComponent(build.identifier)}/inspection`;
    const inspection = await api.send({ method: 'GET', path }, Inspection);
    for (const warning of listWarnings(inspection, host.now(), build.build_number)) host.say(`Warning: ${warning}.\n`);
  } catch (error) {
    // The build is there: nothing that goes wrong here may look as if the upload had failed.
    if (!(error instanceof Refusal)) throw error;
  }
}

/** Sentences without their full stop, the gravest first. `now` in milliseconds; `buildNumber` is what the build goes by. */
export function listWarnings(
  { inspection_status: status, content }: Inspection,
  now: number,
  buildNumber?: number,
): string[] {
  if (status === 'unreadable') return ['the server keeps the package but cannot read it; phones may refuse it'];
  if (content === null || content === undefined) return [];
  const { signing } = content;
  const warnings: string[] = [];
  const verifiedFrom = signing?.verified_from_sdk ?? null;
  if (signing === null || signing === undefined || (signing.verified === false && verifiedFrom === null)) {
    warnings.push('the package is not signed in a way that phones accept; none will install it');
  } else if (signing.verified === false) {
    // Android 9 and later install a package that has a v3 signature only.
    const system = nameMinimumVersion('android', String(verifiedFrom)) ?? `API level ${verifiedFrom}`;
    warnings.push(`the package's signature needs ${system}; older phones refuse it`);
  }
  if (content.is_simulator === true) warnings.push('the package is for the simulator; no phone will install it');
  if (signing?.kind === 'app-store') {
    warnings.push('the package is signed for the App Store; phones install it from there only, not over the air');
  }
  if (content.test_only === true) warnings.push('the package is marked testOnly; phones refuse it outside of adb');
  const ends = signing?.expires_at ?? undefined;
  if (ends !== undefined) warnings.push(...describeEnd(ends, now));
  const isForNobody = signing?.provisions_all_devices === false && signing.provisioned_devices?.length === 0;
  if (isForNobody && signing.kind !== 'app-store') warnings.push('the provisioning profile names no device');
  const { platform, build_number: own } = content;
  if (platform === 'android' && /^\d+$/.test(own ?? '') && buildNumber !== undefined && Number(own) !== buildNumber) {
    warnings.push(
      `the versionCode in the package is ${own}, not ${buildNumber}; phones and updates inside the app go by the versionCode`,
    );
  }
  return warnings;
}

function describeEnd(ends: string, now: number): string[] {
  const left = Date.parse(ends) - now;
  const date = ends.slice(0, 10);
  if (left <= 0) return [`the provisioning profile expired on ${date}; phones will not start the app`];
  if (left < SOON_MS) return [`the provisioning profile expires on ${date}, in ${Math.floor(left / DAY_MS)} days`];
  return [];
}
