// Health check of the device certificate authority that the operator configured in addition to Apple's.
import type { Config } from '../config.ts';
import { DeviceAuthorityError, loadDeviceAuthorities } from '../enrollment/authorities.ts';
import { type Finding, fail, warn } from './finding.ts';

/** Returns no finding if none is configured, because none is required. */
export function checkDeviceAuthority({ apple_profile: profile }: Pick<Config, 'apple_profile'>): Finding[] {
  const { trusted_device_ca_file: file } = profile;
  if (file === '') return [];
  try {
    const { added } = loadDeviceAuthorities(profile);
    const subjects = added.map(({ subject }) => subject.replaceAll('\n', ', ')).join('; ');
    // Anyone with its key can register fake devices.
    return [
      warn(
        'device authority',
        `besides Apple devices, those of ${subjects} are trusted (${file})`,
        'device_authority_added',
        { subjects, file },
      ),
    ];
  } catch (error) {
    if (!(error instanceof DeviceAuthorityError)) throw error;
    return [fail('device authority', error.message, 'device_authority_unusable', { reason: error.message })];
  }
}
