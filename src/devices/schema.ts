// API schemas of devices and enrollment links.
import { appleRegistrationStates } from '../lib/apple-registration-states.ts';
import { dateTime, id, nameLine, page } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';

const NAME_CHARACTERS = 100;

export const device = z
  .object({
    identifier: id(),
    organization_id: id(),
    udid: z.string().meta({
      description:
        "Apple's identifier of the device. Members below manager see only the last characters for other people's devices",
    }),
    name: z.string(),
    platform: z.literal('ios'),
    product: z.string().nullable().meta({ description: "Apple's product identifier, such as iPhone14,2" }),
    model: z.string().nullable().meta({ description: 'Name of the product, such as iPhone 13 Pro' }),
    os_version: z.string().nullable().meta({
      description: 'Build of the operating system when the device last enrolled, such as 22F76',
    }),
    developer_id: id().nullable().meta({ description: 'Owner' }),
    registered_at: dateTime(),
    enrolled_at: dateTime()
      .nullable()
      .meta({ description: 'Time of the last enrollment; null for a device entered manually' }),
    apple_registrations: z
      .array(
        z.object({
          store_connection_id: id(),
          state: z.enum(appleRegistrationStates).meta({
            description:
              'registered: provisioning profiles can include the device. processing: Apple has it and takes up to three days. disabled: it keeps its place and works in no profile. refused: the last attempt failed',
          }),
          device_class: z.string().nullable().meta({ description: "Apple's class, such as IPHONE" }),
          registered_at: dateTime().nullable(),
          checked_at: dateTime(),
          message: z.string().nullable().meta({ description: 'Why Apple refused the device' }),
        }),
      )
      .optional()
      .meta({ description: 'State of the device in Apple developer accounts. Only for managers' }),
  })
  .meta({ id: 'Device' });

export const devicePage = page('DevicePage', device);

const name = () => nameLine(NAME_CHARACTERS).meta({ description: 'One line' });
const owner = () => id().nullable().meta({ description: 'A member or tester of the organization' });

export const deviceInput = z
  .object({
    udid: z.string().max(200).meta({ description: '40 hexadecimal digits, or 8, a hyphen and 16; case-insensitive' }),
    name: name(),
    developer_id: owner().optional(),
  })
  .meta({ id: 'DeviceInput' });

export const deviceChange = z
  .object({ name: name().optional(), developer_id: owner().optional() })
  .meta({ id: 'DeviceChange' });

export const enrollmentInput = z
  .object({
    name: name().nullish().meta({
      description:
        'Name of devices that enroll through the link. If missing, they are named after their owner and model',
    }),
    developer_id: owner().optional(),
  })
  .meta({ id: 'DeviceEnrollmentInput' });

export const ownEnrollmentInput = z
  .object({ name: name().nullish().meta({ description: 'Name of the device' }) })
  .meta({ id: 'OwnDeviceEnrollmentInput' });

export const enrollment = z
  .object({
    identifier: id(),
    organization_id: id(),
    name: z.string().nullable(),
    developer_id: id().nullable().meta({ description: 'Owner of the devices' }),
    token: z.string().meta({ description: 'Shown only in this response' }),
    url: z.string().meta({ description: 'Page for opening on the phone' }),
    created_at: dateTime(),
    expires_at: dateTime().meta({ description: 'One hour after creation' }),
  })
  .meta({ id: 'DeviceEnrollment' });

export type DeviceInput = z.output<typeof deviceInput>;
export type DeviceChange = z.output<typeof deviceChange>;
export type EnrollmentInput = z.output<typeof enrollmentInput>;
export type Device = z.input<typeof device>;
export type EnrollmentAnswer = z.input<typeof enrollment>;
