// Wire shapes of devices and of the links that bring them in.
import { z } from 'zod';
import { dateTime, id, line, page } from '../lib/shapes.ts';

const NAME_CHARACTERS = 100;

export const device = z
  .object({
    identifier: id(),
    organization_id: id(),
    udid: z.string().meta({
      description: "Apple's identifier of the device. Members below manager see the last characters of others' only",
    }),
    name: z.string(),
    platform: z.literal('ios'),
    product: z.string().nullable().meta({ description: "Apple's word for the hardware, such as iPhone14,2" }),
    model: z.string().nullable().meta({ description: 'What the product is called, such as iPhone 13 Pro' }),
    os_version: z.string().nullable().meta({
      description: 'Build of the operating system as the device said it when it last enrolled, such as 22F76',
    }),
    developer_id: id().nullable().meta({ description: 'Whose it is' }),
    registered_at: dateTime(),
    enrolled_at: dateTime()
      .nullable()
      .meta({ description: 'When the device last proved its identifier itself; null for one entered by hand' }),
  })
  .meta({ id: 'Device' });

export const devicePage = page('DevicePage', device);

const name = () => line(NAME_CHARACTERS).meta({ description: 'One line' });
const owner = () => id().nullable().meta({ description: 'A member or tester of the organization' });

export const deviceInput = z
  .object({
    udid: z
      .string()
      .max(200)
      .meta({ description: '40 hexadecimal digits, or 8, a hyphen and 16; the letter case does not matter' }),
    name: name(),
    developer_id: owner().optional(),
  })
  .meta({ id: 'DeviceInput' });

export const deviceChange = z
  .object({ name: name().optional(), developer_id: owner().optional() })
  .meta({ id: 'DeviceChange' });

export const enrollmentInput = z
  .object({
    name: name()
      .nullish()
      .meta({ description: 'What devices that enroll through the link are called; else after their owner and model' }),
    developer_id: owner().optional(),
  })
  .meta({ id: 'DeviceEnrollmentInput' });

export const ownEnrollmentInput = z
  .object({ name: name().nullish().meta({ description: 'What the device is called' }) })
  .meta({ id: 'OwnDeviceEnrollmentInput' });

export const enrollment = z
  .object({
    identifier: id(),
    organization_id: id(),
    name: z.string().nullable(),
    developer_id: id().nullable().meta({ description: 'Whose the devices will be' }),
    token: z.string().meta({ description: 'Shown in this answer only' }),
    url: z.string().meta({ description: 'Page to open on the phone' }),
    created_at: dateTime(),
    expires_at: dateTime().meta({ description: 'An hour later' }),
  })
  .meta({ id: 'DeviceEnrollment' });

export type DeviceInput = z.output<typeof deviceInput>;
export type DeviceChange = z.output<typeof deviceChange>;
export type EnrollmentInput = z.output<typeof enrollmentInput>;
export type Device = z.input<typeof device>;
export type EnrollmentAnswer = z.input<typeof enrollment>;
