// Wire shapes of a build's devices.
import { installVerdict } from '../compatibility/schema.ts';
import { device } from '../devices/schema.ts';
import { id, page } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';

const buildDevice = z.object({ device, install: installVerdict }).meta({ id: 'BuildDevice' });

export const buildDevicePage = page('BuildDevicePage', buildDevice);

const buildDeviceCount = z
  .object({
    build_id: id(),
    devices_total: z.int().meta({ description: 'Registered devices of the organization' }),
    devices_able: z.int().meta({ description: 'Number of these devices that can install the build' }),
  })
  .meta({ id: 'BuildDeviceCount' });

export const buildDeviceCounts = z.object({ items: z.array(buildDeviceCount) }).meta({ id: 'BuildDeviceCounts' });

export type BuildDeviceCount = z.input<typeof buildDeviceCount>;
export type BuildDevice = z.input<typeof buildDevice>;
