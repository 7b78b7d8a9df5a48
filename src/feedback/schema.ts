// Wire shapes of feedback.
import type { FormBody } from '../http/operation.ts';
import { imageTypes } from '../images/limits.ts';
import { dateTime, id, line, page, pageQuery, prose } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { MAX_PICTURE_BYTES, MAX_PICTURES, MAX_TEXT } from './limits.ts';

const feedbackStates = ['open', 'done'] as const;
const feedbackSources = ['install_page', 'my_apps', 'sdk'] as const;
export type FeedbackState = (typeof feedbackStates)[number];
export type FeedbackSource = (typeof feedbackSources)[number];

const picture = z
  .object({
    identifier: id(),
    url: z.string(),
    type: z.enum(imageTypes),
    width: z.int(),
    height: z.int(),
    size_bytes: z.int(),
  })
  .meta({ id: 'FeedbackPicture' });

const reply = z
  .object({
    identifier: id(),
    text: z.string(),
    author_name: z.string().nullable().meta({ description: 'Null if the account was deleted, or for a token' }),
    created_at: dateTime(),
  })
  .meta({ id: 'FeedbackReply' });

export const feedback = z
  .object({
    identifier: id(),
    project_id: id(),
    source: z.enum(feedbackSources),
    state: z.enum(feedbackStates),
    text: z.string(),
    author: z
      .object({ developer_id: id(), name: z.string(), email: z.string() })
      .nullable()
      .meta({ description: 'The account of the tester; null for visitors without one and for installs' }),
    contact_email: z
      .string()
      .nullable()
      .meta({ description: 'The address that was entered for replies. Not verified' }),
    can_reply: z.boolean().meta({ description: 'Whether there is an address that a reply can be sent to' }),
    channel_id: id().nullable(),
    release_id: id().nullable(),
    build_id: id().nullable(),
    version_name: z.string().nullable(),
    build_number: z.string().nullable().meta({ description: 'As people see it: CFBundleVersion on iOS' }),
    device_model: z.string().nullable(),
    os_version: z.string().nullable(),
    pictures: z.array(picture),
    replies: z.array(reply),
    created_at: dateTime(),
    state_changed_at: dateTime().nullable(),
  })
  .meta({ id: 'Feedback' });

export const feedbackPage = page('FeedbackPage', feedback);

const filters = {
  state: z.enum(feedbackStates).optional(),
  release_id: id().optional(),
  source: z.enum(feedbackSources).optional(),
};
export const feedbackQuery = z.object({ ...pageQuery, ...filters });
export const exportQuery = z.object({ ...filters, format: z.enum(['json', 'csv']).default('json') });

/** All feedback of an export. */
export const exportedFeedback = z.array(feedback);

export const feedbackChange = z.object({ state: z.enum(feedbackStates) }).meta({ id: 'FeedbackEditRequest' });
export const replyInput = z
  .object({ text: prose(MAX_TEXT).refine((text) => text.trim() !== '', 'Input should not be empty') })
  .meta({ id: 'FeedbackReplyRequest' });

const files = { field: 'pictures', maximumCount: MAX_PICTURES, maximumBytes: MAX_PICTURE_BYTES };
const optionalText = (maximum: number) =>
  z
    .string()
    .optional()
    .transform((text) => (text === undefined || text.trim() === '' ? undefined : text.trim()))
    .pipe(line(maximum).optional());

const address = z
  .string()
  .optional()
  .transform((text) => (text === undefined || text.trim() === '' ? undefined : text.trim().toLowerCase()))
  .pipe(z.email().max(254).optional());

/** What an app sends. Everything about the device that is missing is known from its install. */
export const sdkFeedbackBody = {
  kind: 'form',
  fields: z.object({
    // Forms send line breaks as two characters, which people don't count.
    text: z
      .string()
      .transform((text) => text.replaceAll('\r\n', '\n').trim())
      .pipe(prose(MAX_TEXT).min(1)),
    email: address.meta({ description: 'An address for replies' }),
    version_name: optionalText(255).meta({ description: 'Version of the running build' }),
    build_number: optionalText(32).meta({ description: 'Number of the running build' }),
    device_model: optionalText(100),
    os_version: optionalText(50),
  }),
  files,
} as const satisfies FormBody;

/** What the form of a page sends. The rules check it, so that the page can show it again. */
export const pageFeedbackBody = {
  kind: 'form',
  fields: z.object({
    text: z
      .string()
      .max(MAX_TEXT * 4)
      .default(''),
    email: z.string().max(400).default(''),
    from: z.string().max(40).default(''),
  }),
  files: { ...files, returnsExcess: true },
} as const satisfies FormBody;

export const received = z.object({ identifier: id() }).meta({ id: 'FeedbackReceipt' });

export type Feedback = z.input<typeof feedback>;
export type FeedbackQuery = z.output<typeof feedbackQuery>;
export type ExportQuery = z.output<typeof exportQuery>;
export type SdkFeedback = z.output<typeof sdkFeedbackBody.fields>;
export type PageFeedback = z.output<typeof pageFeedbackBody.fields>;
export type Received = z.input<typeof received>;
export type FeedbackFilters = Pick<FeedbackQuery, 'state' | 'release_id' | 'source'>;
