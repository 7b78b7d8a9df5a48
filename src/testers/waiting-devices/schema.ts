// Wire shapes of devices that wait for a build of a channel.
import { device } from '../../devices/schema.ts';
import { dateTime, id, page } from '../../lib/shapes.ts';
import * as z from '../../lib/zod.ts';

const waitingDevice = z
  .object({
    device,
    owner_name: z.string().nullable().meta({ description: 'Name of the owner; null without one' }),
    since: dateTime(),
  })
  .meta({ id: 'WaitingDevice' });

export const waitingDevicePage = page('WaitingDevicePage', waitingDevice);

export const inChannelPath = z.object({ channel_id: id() });
export const inWaitingDevicePath = z.object({ channel_id: id(), device_id: id() });

export type WaitingDevice = z.input<typeof waitingDevice>;
