// Wire shapes of feeds and their tokens.
import { dateTime, id, line, page } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { type FeedKind, feedFacts, feedKinds } from './kinds.ts';

const address = (description: string) => z.string().nullable().meta({ description });

/** Only the feeds of one platform can be missing. */
type Addresses = {
  [Kind in FeedKind as `${Kind}_url`]: (typeof feedFacts)[Kind]['platform'] extends null
    ? z.ZodString
    : z.ZodNullable<z.ZodString>;
};
const urls = Object.fromEntries(
  feedKinds.map((kind) => {
    const { platform, description } = feedFacts[kind];
    return [`${kind}_url`, (platform === null ? z.string() : z.string().nullable()).meta({ description })];
  }),
) as unknown as Addresses;

const addresses = z
  .object({
    ...urls,
    fdroid_link: address('Link that adds the repository with its fingerprint to F-Droid, also as a QR code'),
    obtainium_link: address('Link that adds the app to Obtainium; null before the first release'),
  })
  .meta({ id: 'FeedAddresses' });

export const channelFeeds = z
  .object({
    channel_id: id(),
    fingerprint: address("SHA-256 of the certificate that signs the organization's F-Droid repositories; null for iOS"),
    public: addresses
      .nullable()
      .meta({ description: 'Null if the channel is private: then each person needs a feed token' }),
  })
  .meta({ id: 'ChannelFeeds' });

const tokenFields = {
  identifier: id(),
  channel_id: id(),
  note: z.string().nullable(),
  created_at: dateTime(),
};

const feedToken = z.object(tokenFields).meta({ id: 'FeedToken' });
export const feedTokenPage = page('FeedTokenPage', feedToken);

export const newFeedToken = z
  .object({
    ...tokenFields,
    token: z.string().meta({ description: 'Secret, shown only once; part of the addresses' }),
    feeds: addresses,
  })
  .meta({ id: 'NewFeedToken' });

export const feedTokenInput = z
  .object({ note: line(100).nullish().meta({ description: 'What it is for, such as the name of a phone' }) })
  .meta({ id: 'FeedTokenInput' });

export type FeedAddresses = z.input<typeof addresses>;
export type ChannelFeeds = z.input<typeof channelFeeds>;
export type FeedToken = z.input<typeof feedToken>;
export type NewFeedToken = z.input<typeof newFeedToken>;
export type FeedTokenInput = z.output<typeof feedTokenInput>;
