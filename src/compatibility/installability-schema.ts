// The API schema of installability: whether any device can install a build.
import { dateTime } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { installabilityReasons } from './reasons.ts';

export const installability = z
  .object({
    status: z.enum(['installable', 'uninstallable', 'unknown']).meta({
      description:
        "uninstallable: no device can install the build. installable: some devices can. unknown: the package can't be read, but Android may install it",
    }),
    reason: z.enum(installabilityReasons).meta({
      description:
        'Reason. If installable: provisioned (on the devices in the profile), enterprise (on all iOS devices) or installable (on Android). ' +
        'not_provisioned: the profile contains no devices',
    }),
    profile_expires_at: dateTime().nullable().meta({ description: 'Expiry of the provisioning profile' }),
    needed_system: z.string().nullable().meta({
      description:
        'Oldest system supported by the package and its signature, such as iOS 15.0 or Android 9; null if unknown',
    }),
    newest_system: z
      .string()
      .nullable()
      .meta({ description: 'Newest system that accepts the signature, such as Android 10; null if newer ones do too' }),
  })
  .meta({ id: 'Installability', description: 'Whether any device can install a build; the same for all users' });

export type Installability = z.input<typeof installability>;
