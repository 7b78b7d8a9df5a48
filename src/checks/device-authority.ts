// Check of the authority for devices that the operator added to Apple's: whether it could be believed.
import type { Config } from '../config.ts';
import { DeviceAuthorityError, loadDeviceAuthorities } from '../enrollment/authorities.ts';
import { type Finding, fail, warn } from './finding.ts';

/** Nothing where none is added, because none is needed. */
export function checkDeviceAuthority({ apple_profile: profile }: Pick<Config, 'apple_profile'>): Finding[] {
  const { trusted_device_ca_file: file } = profile;
  if (file === '') return [];
  try {
    const { added } = loadDeviceAuthorities(profile);
    const subjects = added.map(({ subject }) => subject.replaceAll('\n', ', ')).join('; ');
    // Whoever has its key can register what is no device at all.
    return [
      warn(
        'device authority',
        `besides Apple's devices those of ${subjects} are believed (${file})`,
        'device_authority_added',
        { subjects, file },
      ),
    ];
  } catch (error) {
    if (!(error instanceof DeviceAuthorityError)) throw error;
    return [fail('device authority', error.message, 'device_authority_unusable', { reason: error.message })];
  }
}
