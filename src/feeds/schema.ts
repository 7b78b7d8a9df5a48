// Wire shapes of feeds and their tokens.
import { z } from 'zod';
import { dateTime, id, line, page } from '../lib/shapes.ts';

const address = (description: string) => z.string().nullable().meta({ description });

const addresses = z
  .object({
    atom_url: z.string().meta({ description: 'Atom feed of the releases' }),
    fdroid_url: address('F-Droid repository, for Android channels; clients append the names of its files'),
    fdroid_link: address('Link that adds the repository with its fingerprint to F-Droid, also as a QR code'),
    obtainium_url: address('Page for Obtainium (source type HTML), for Android channels'),
    obtainium_link: address('Link that adds the app to Obtainium; null before the first release'),
    latest_apk_url: address('Stable address of the newest package, for Android channels'),
    altstore_url: address('Source of AltStore and SideStore, for iOS channels'),
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
