// The dialog that shares a channel or build with people without an account: it creates links and lists them.

import {
  Badge,
  Button,
  Group,
  Modal,
  NativeSelect,
  NumberInput,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { MAX_INSTALLS, MAX_NOTE_LENGTH } from '../../share-links/limits.ts';
import type { NewShareLink, ShareLinkItem } from '../../share-links/schema.ts';
import { useChange, useReadPages } from '../api/hooks.ts';
import { inProject, useProject } from '../pages/project/project-context.ts';
import { mayInProject } from '../shell/current-user.ts';
import { useServerInfo } from '../shell/server-info.ts';
import { useTexts } from '../texts/locale.ts';
import { ConfirmDialog } from './confirm.tsx';
import { Copyable } from './copy.tsx';
import { FormBody, useForm } from './form.tsx';
import { LocalLinkHint } from './local-link.tsx';
import { useOpened } from './opened.ts';
import { Loading } from './page.tsx';
import { PagedList } from './paged-list.tsx';
import { QrCode } from './qr-code.tsx';
import { ShareLink } from './share-link.tsx';
import { TimeInText } from './time.tsx';
import { dayMs } from './times.ts';
import { showSuccess } from './toasts.ts';

const path = '/share-links';
const HOUR = 3_600_000;
const TEAM_QR_SIZE = 96;

/** The channel or build that is shared. */
export type SharedTarget = { name: string } & ({ channel_id: string } | { build_id: string });

interface SharingDialogProps {
  target: SharedTarget;
  isOpen: boolean;
  onClose(): void;
}

export function SharingDialog({ target, isOpen, onClose }: SharingDialogProps) {
  const t = useTexts().sharing;
  const project = useProject();
  const [created, setCreated] = useState<NewShareLink>();
  const [revoking, setRevoking] = useState<ShareLinkItem>();
  // One dialog at a time: this one returns when the other is closed.
  const isShown = useOpened(isOpen) && created === undefined && revoking === undefined;
  const isBuild = 'build_id' in target;
  return (
    <>
      <Modal opened={isShown} onClose={onClose} title={t.title(target.name)} centered size="lg">
        {isShown && (
          <Stack gap="xl">
            {isBuild && mayInProject(project, 'build.download') && <TeamLink buildId={target.build_id} />}
            {mayInProject(project, 'share_link.manage') && (
              <section aria-labelledby="share-links">
                <h2 id="share-links" className="tw-part-title">
                  {t.linksTitle}
                </h2>
                <Text size="sm" mb="sm">
                  {isBuild ? t.buildHint : t.channelHint}
                </Text>
                <Stack gap="lg">
                  <LinkForm target={target} onCreated={setCreated} />
                  <Links target={target} onRevoke={setRevoking} />
                </Stack>
              </section>
            )}
          </Stack>
        )}
      </Modal>
      <ShareLink title={t.createdTitle} link={created?.url} what={t.createdTitle} onClose={() => setCreated(undefined)}>
        {created?.has_password === true ? t.createdHintPassword : t.createdHint} {t.shownOnce}
      </ShareLink>
      <RevokeDialog link={revoking} onClose={() => setRevoking(undefined)} />
    </>
  );
}

/** The permanent page of a build, for people who sign in. */
function TeamLink({ buildId }: { buildId: string }) {
  const texts = useTexts();
  const t = texts.sharing;
  const { base, origin } = useServerInfo();
  const link = `${origin === '' ? location.origin : origin}${base}/install/builds/${buildId}`;
  return (
    <section aria-labelledby="team-link">
      <h2 id="team-link" className="tw-part-title">
        {t.teamTitle}
      </h2>
      <div className="tw-row">
        <QrCode text={link} label={texts.common.qrCodeOf(t.teamLink)} size={TEAM_QR_SIZE} />
        <div className="tw-grow">
          <Text size="sm">{t.teamHint}</Text>
          <Copyable text={link} what={t.teamLink} shown={link.replace(/^https?:\/\//, '')} />
        </div>
      </div>
      <LocalLinkHint link={link} />
    </section>
  );
}

const HOURS = [1, 8] as const;
const DAYS = [1, 3, 7, 30, 90] as const;
const lifetimes: ReadonlyMap<string, number> = new Map([
  ...HOURS.map((hours) => [`${hours}h`, hours * HOUR] as const),
  ...DAYS.map((days) => [`${days}d`, days * dayMs] as const),
]);

interface Values {
  expires_at: string;
  max_installs: number | string;
  password: string;
  note: string;
}

const idOf = (target: SharedTarget) =>
  'build_id' in target ? { build_id: target.build_id } : { channel_id: target.channel_id };

function LinkForm({ target, onCreated }: { target: SharedTarget; onCreated(link: NewShareLink): void }) {
  const texts = useTexts();
  const t = texts.sharing;
  const query = inProject(useProject());
  const create = useChange((api, body: object) => api.send<NewShareLink>('POST', path, { query, body }), [path]);
  const form = useForm<Values>({
    values: { expires_at: '7d', max_installs: '', password: '', note: '' },
    async submit({ expires_at: chosen, max_installs: max, password, note }) {
      const lifetime = lifetimes.get(chosen);
      const link = await create.mutateAsync({
        ...idOf(target),
        ...(lifetime === undefined ? {} : { expires_at: new Date(Date.now() + lifetime).toISOString() }),
        ...(max === '' ? {} : { max_installs: Number(max) }),
        ...(password === '' ? {} : { password }),
        ...(note.trim() === '' ? {} : { note: note.trim() }),
      });
      onCreated(link);
    },
  });
  const optional = (label: string) => `${label} (${texts.common.optional})`;
  return (
    <FormBody form={form} submit={t.create}>
      <Group grow align="flex-start">
        <NativeSelect
          label={t.expires}
          data={[
            ...HOURS.map((hours) => ({ value: `${hours}h`, label: t.inHours(hours) })),
            ...DAYS.map((days) => ({ value: `${days}d`, label: t.inDays(days) })),
            { value: 'never', label: t.never },
          ]}
          {...form.text('expires_at')}
        />
        <NumberInput
          label={t.maxInstalls}
          placeholder={t.unlimited}
          min={1}
          max={MAX_INSTALLS}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          {...form.value('max_installs')}
        />
      </Group>
      <Group grow align="flex-start">
        <PasswordInput
          label={optional(t.password)}
          autoComplete="new-password"
          {...form.text('password', t.passwordHint)}
        />
        <TextInput
          label={optional(t.note)}
          description={t.noteHint}
          autoComplete="off"
          maxLength={MAX_NOTE_LENGTH}
          {...form.text('note')}
        />
      </Group>
    </FormBody>
  );
}

function Links({ target, onRevoke }: { target: SharedTarget; onRevoke(link: ShareLinkItem): void }) {
  const t = useTexts().sharing;
  const query = { ...inProject(useProject()), ...idOf(target) };
  const list = useReadPages<ShareLinkItem>(path, { query });
  if (list.rows?.length === 0) return null;
  return (
    <section aria-label={t.listTitle}>
      <PagedList list={list} loading={<Loading rows={1} height={52} />}>
        {(link) => <LinkRow key={link.identifier} link={link} onRevoke={() => onRevoke(link)} />}
      </PagedList>
    </section>
  );
}

function RevokeDialog({ link, onClose }: { link: ShareLinkItem | undefined; onClose(): void }) {
  const t = useTexts().sharing;
  const revoke = useChange((api, id: string) => api.send('POST', `${path}/${id}/revoke`), [path]);
  return (
    <ConfirmDialog
      isOpen={link !== undefined}
      title={link === undefined ? '' : t.revokeTitle(link.note ?? t.unnamed)}
      action={t.revoke}
      onClose={onClose}
      onConfirm={async () => {
        if (link !== undefined) await revoke.mutateAsync(link.identifier);
        showSuccess(t.revoked);
      }}
    >
      {t.revokeEffect}
    </ConfirmDialog>
  );
}

function LinkRow({ link, onRevoke }: { link: ShareLinkItem; onRevoke(): void }) {
  const t = useTexts().sharing;
  const { note, state, installs, max_installs: max } = link;
  const name = note ?? t.unnamed;
  const mayRevoke = state !== 'revoked' && state !== 'expired';
  return (
    <li>
      <div className="tw-grow">
        <div className="tw-strong">
          {name}{' '}
          <Badge
            color={state === 'active' ? 'green' : 'gray'}
            {...(state === 'creator_lacks_role' ? { title: t.inactiveHint } : {})}
          >
            {t.states[state]}
          </Badge>
        </div>
        <div className="tw-small">
          {max === null ? t.installs(installs) : t.installsOf(installs, max)} · <Ending link={link} />
          {link.has_password && ` · ${t.withPassword}`}
        </div>
      </div>
      {mayRevoke && (
        <Button size="compact-sm" variant="subtle" color="red" aria-label={t.revokeNamed(name)} onClick={onRevoke}>
          {t.revoke}
        </Button>
      )}
    </li>
  );
}

function Ending({ link: { state, expires_at: expiresAt, revoked_at: revokedAt } }: { link: ShareLinkItem }) {
  const t = useTexts().sharing;
  const at = revokedAt ?? expiresAt;
  if (at === null) return t.neverExpires;
  const verb = revokedAt !== null ? t.revokedAt : state === 'expired' ? t.expiredAt : t.expiresAt;
  return <TimeInText text={verb} at={at} />;
}
