// Wire shapes of a build's devices.
import { z } from 'zod';
import { device } from '../devices/schema.ts';
import { installVerdict } from '../install/verdict-schema.ts';
import { page } from '../platform/shapes.ts';

const buildDevice = z.object({ device, install: installVerdict }).meta({ id: 'BuildDevice' });

export const buildDevicePage = page('BuildDevicePage', buildDevice);

export type BuildDevice = z.input<typeof buildDevice>;
