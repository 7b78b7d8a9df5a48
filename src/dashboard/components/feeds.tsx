// The feeds of a channel for app stores on phones: their addresses, and the user's own tokens.
import { Alert, Anchor, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { IconRss } from '@tabler/icons-react';
import { useState } from 'react';
import { feedKinds, storesOf } from '../../feeds/kinds.ts';
import type { ChannelFeeds, FeedAddresses, FeedToken, NewFeedToken } from '../../feeds/schema.ts';
import type { Language } from '../../languages.ts';
import type { Platform } from '../../platforms.ts';
import { useChange, useRead, useReadPages } from '../api/hooks.ts';
import { useServerInfo } from '../shell/server-info.ts';
import { useTexts } from '../texts/locale.ts';
import { ConfirmDialog } from './confirm.tsx';
import { Copyable } from './copy.tsx';
import { FormBody, useForm } from './form.tsx';
import { LocalLinkHint } from './local-link.tsx';
import { explainLock } from './lock-errors.ts';
import { QueryContent } from './page.tsx';
import { PagedList } from './paged-list.tsx';
import { QrCode } from './qr-code.tsx';
import { RelativeTime } from './time.tsx';

const QR_SIZE = 176;

interface ChannelProps {
  channel: { identifier: string; name: string };
}

interface ButtonProps extends ChannelProps {
  /** "Feeds", where no heading says so. */
  label?: string;
  isCompact?: boolean;
}

/** Returns the app stores for the feeds of a platform, such as "F-Droid or Obtainium". */
export function listStores(platform: Platform, language: Language): string {
  return new Intl.ListFormat(language, { type: 'disjunction' }).format(storesOf(platform));
}

/** A button that shows the feeds of a channel that the user may install from. */
export function FeedsButton({ channel, label, isCompact = false }: ButtonProps) {
  const t = useTexts().feeds;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant={isCompact ? 'subtle' : 'default'}
        {...(isCompact ? { size: 'compact-sm' } : { size: 'xs' })}
        {...(label === undefined ? { leftSection: <IconRss size={16} stroke={1.75} aria-hidden /> } : {})}
        onClick={() => setOpen(true)}
      >
        {label ?? t.open}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t.of(channel.name)} centered size="lg">
        {isOpen && <Feeds channel={channel} />}
      </Modal>
    </>
  );
}

function Feeds({ channel }: ChannelProps) {
  const feeds = useRead<ChannelFeeds>(`/channels/${channel.identifier}/feeds`);
  return (
    <QueryContent read={feeds}>
      {({ public: addresses, fingerprint }) =>
        addresses === null ? (
          <PrivateFeeds channel={channel} fingerprint={fingerprint} />
        ) : (
          <Addresses addresses={addresses} fingerprint={fingerprint} />
        )
      }
    </QueryContent>
  );
}

interface AddressesProps {
  addresses: FeedAddresses;
  fingerprint: string | null;
}

function Addresses({ addresses, fingerprint }: AddressesProps) {
  const t = useTexts().feeds;
  const { base } = useServerInfo();
  const { fdroid_link: link, obtainium_link: obtainium } = addresses;
  const lines = feedKinds.flatMap((kind) => [
    { name: t.kinds[kind], address: addresses[`${kind}_url`] },
    ...(kind === 'fdroid' ? [{ name: t.fingerprint, address: fingerprint }] : []),
  ]);
  return (
    <Stack>
      {link !== null && (
        <div className="tw-feeds-qr">
          <QrCode text={link} label={t.qrLabel} size={QR_SIZE} />
          <div>
            <p className="tw-bare">{t.qrHint}</p>
            <LocalLinkHint link={link} />
            <Group gap="xs" mt="sm">
              <Button component="a" variant="default" href={link}>
                {t.openFdroid}
              </Button>
              {obtainium !== null && (
                <Button component="a" variant="default" href={obtainium}>
                  {t.openObtainium}
                </Button>
              )}
            </Group>
          </div>
        </div>
      )}
      {lines.map(
        ({ name, address }) =>
          address !== null && (
            <div key={name}>
              <Text size="sm" fw={600}>
                {name}
              </Text>
              <Copyable text={address} what={name} />
            </div>
          ),
      )}
      <Anchor href={`${base}/docs/feeds.html`} target="_blank" rel="noreferrer" size="sm">
        {t.help}
      </Anchor>
    </Stack>
  );
}

/** The user's tokens, and the addresses of the one that was just created, which are shown only then. */
function PrivateFeeds({ channel, fingerprint }: ChannelProps & { fingerprint: string | null }) {
  const texts = useTexts();
  const t = texts.feeds;
  const path = `/channels/${channel.identifier}/feed-tokens`;
  const [created, setCreated] = useState<NewFeedToken>();
  const [revoked, setRevoked] = useState<FeedToken>();
  const list = useReadPages<FeedToken>(path);
  const create = useChange((api, body: object) => api.send<NewFeedToken>('POST', path, { body }), [path]);
  const revoke = useChange((api, id: string) => api.send('DELETE', `/feed-tokens/${id}`), [path]);
  const form = useForm({
    values: { note: '' },
    async submit({ note }) {
      const creation = create.mutateAsync({ note: note.trim() || null });
      setCreated(
        await creation.catch((error: unknown) => {
          throw explainLock(error, texts.myApps.paused);
        }),
      );
      form.set('note', '');
    },
  });
  if (created !== undefined) {
    return (
      <Stack>
        <Alert color="yellow">{t.shownOnce}</Alert>
        <Addresses addresses={created.feeds} fingerprint={fingerprint} />
        <Button variant="default" onClick={() => setCreated(undefined)}>
          {texts.common.done}
        </Button>
      </Stack>
    );
  }
  return (
    <Stack>
      <Text size="sm">{t.privateHint}</Text>
      <FormBody form={form} submit={t.create}>
        <TextInput
          label={`${t.note} (${texts.common.optional})`}
          placeholder="Pixel 9"
          autoComplete="off"
          data-autofocus
          {...form.text('note')}
        />
      </FormBody>
      {list.rows !== undefined && list.rows.length > 0 && (
        <PagedList list={list} loading={null}>
          {(token) => (
            <li key={token.identifier}>
              <div className="tw-grow">
                <div className="tw-strong">{token.note ?? t.unnamed}</div>
                <div className="tw-small">
                  {t.created} <RelativeTime at={token.created_at} />
                </div>
              </div>
              <Button
                variant="subtle"
                color="red"
                size="compact-sm"
                aria-label={t.revokeNamed(token.note ?? t.unnamed)}
                onClick={() => setRevoked(token)}
              >
                {t.revoke}
              </Button>
            </li>
          )}
        </PagedList>
      )}
      <ConfirmDialog
        isOpen={revoked !== undefined}
        title={t.revokeNamed(revoked?.note ?? t.unnamed)}
        action={t.revoke}
        onClose={() => setRevoked(undefined)}
        onConfirm={async () => {
          if (revoked !== undefined) await revoke.mutateAsync(revoked.identifier);
        }}
      >
        {t.revokeEffect}
      </ConfirmDialog>
    </Stack>
  );
}
