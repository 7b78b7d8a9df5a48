// Whether any device can install a build, as it is sent.
import { z } from 'zod';
import { dateTime } from '../lib/shapes.ts';
import { universalReasons } from './verdict.ts';

export const installability = z
  .object({
    status: z.enum(['installable', 'uninstallable', 'unknown']).meta({
      description:
        'uninstallable: no device can install the build. installable: some devices can. unknown: the service cannot read the package, Android may install it',
    }),
    reason: z.enum([...universalReasons, 'provisioned', 'enterprise', 'installable']).meta({
      description:
        'Why. Installable: provisioned (on the devices that the profile names), enterprise (on every iOS device) or installable (on Android). ' +
        'not_provisioned: the profile names no device',
    }),
    profile_expires_at: dateTime().nullable().meta({ description: 'When the provisioning profile expires or expired' }),
    needed_system: z.string().nullable().meta({
      description:
        'Oldest system that the package or its signature needs, such as iOS 15.0 or Android 9; null when unknown',
    }),
  })
  .meta({ id: 'Installability', description: 'Whether any device can install a build: the same for everybody' });

export type Installability = z.input<typeof installability>;
