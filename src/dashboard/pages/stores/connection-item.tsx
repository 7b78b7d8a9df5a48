// A store connection: account, what the last validation showed, and its actions.
import { ActionIcon, Badge, Button, Menu, Modal } from '@mantine/core';
import { IconAlertTriangle, IconBrandApple, IconBrandGooglePlay, IconCheck, IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import type { Connection } from '../../../stores/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { copyText } from '../../components/clipboard.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { useMemberNames } from '../../components/member-names.ts';
import { connectionsPath, describeFailure, explainStoreError } from '../../components/stores.ts';
import { RelativeTime, TimeInText } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { mayInOrganization, useOrganization } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { AutomaticRegistration } from './automatic.tsx';
import { ConnectionForm } from './connection-form.tsx';
import { Profiles } from './profiles.tsx';
import { Quota } from './quota.tsx';

const icons = { app_store_connect: IconBrandApple, google_play: IconBrandGooglePlay };

export function ConnectionItem({ connection }: { connection: Connection }) {
  const texts = useTexts();
  const t = texts.stores;
  const { identifier, provider, name, status } = connection;
  const organization = useOrganization();
  const nameOf = useMemberNames(organization.identifier);
  const creator = nameOf(connection.created_by);
  const Icon = icons[provider];
  const validate = useChange(
    (api) => api.send<Connection>('POST', `${connectionsPath}/${identifier}/validate`),
    [connectionsPath],
  );
  const check = () =>
    validate.mutate(undefined, {
      onSuccess: (answer) => {
        if (answer.status === 'valid') showSuccess(t.validated(name));
      },
    });
  return (
    <li className="tw-store" aria-label={name}>
      <div className="tw-store-head">
        <span className="tw-tone">
          <Icon size={16} stroke={1.75} aria-hidden />
        </span>
        <div className="tw-grow">
          <div className="tw-store-name">
            <h2>{name}</h2>
            <Badge variant="light" color={status === 'valid' ? 'green' : 'red'}>
              {t.statuses[status]}
            </Badge>
          </div>
          <div className="tw-small">
            {t.providers[provider]} · <Account connection={connection} /> · {t.created}{' '}
            <RelativeTime at={connection.created_at} />
            {creator !== undefined && <> {t.createdBy(creator)}</>}
          </div>
        </div>
        {mayInOrganization(organization, 'store_connection.manage') && (
          <div className="tw-row-end">
            <Button
              variant="default"
              size="xs"
              loading={validate.isPending}
              aria-label={t.validateOf(name)}
              onClick={check}
            >
              {t.validate}
            </Button>
            <ConnectionMenu connection={connection} />
          </div>
        )}
      </div>
      <Validation connection={connection} />
      {validate.error !== null && <ErrorAlert error={explainStoreError(validate.error, texts)} onRetry={check} />}
      {provider === 'app_store_connect' && status === 'valid' && (
        <>
          <Quota connection={connection} />
          <AutomaticRegistration connection={connection} />
          <Profiles connection={connection} />
        </>
      )}
    </li>
  );
}

/** What identifies the account. */
function Account({ connection }: { connection: Connection }) {
  const t = useTexts().stores;
  if (connection.provider === 'google_play') {
    return (
      <>
        {connection.client_email}
        {connection.package_name !== null && ` · ${connection.package_name}`}
      </>
    );
  }
  return (
    <>
      {connection.key_id} ({connection.issuer_id === null ? t.individualKey : t.teamKey})
    </>
  );
}

function Validation({ connection: { validation } }: { connection: Connection }) {
  const texts = useTexts();
  const t = texts.stores;
  const { code, message, scope, checked_at: checkedAt } = validation;
  if (code === null) {
    return (
      <p className="tw-store-result" data-tone="ok">
        <IconCheck size={16} stroke={1.75} aria-hidden />
        <span>
          <TimeInText text={t.proved[scope]} at={checkedAt} />
        </span>
      </p>
    );
  }
  const words = describeFailure(code, message, texts);
  return (
    <p className="tw-store-result" data-tone="bad">
      <IconAlertTriangle size={16} stroke={1.75} aria-hidden />
      <span>
        <b>{words.title}.</b> {words.text}{' '}
        <span className="tw-small">
          <TimeInText text={t.rejected} at={checkedAt} />
        </span>
      </span>
    </p>
  );
}

function ConnectionMenu({ connection }: { connection: Connection }) {
  const texts = useTexts();
  const t = texts.stores;
  const { identifier, name, provider } = connection;
  const [dialog, setDialog] = useState<'edit' | 'remove'>();
  const close = () => setDialog((open) => (open === dialog ? undefined : open));
  const remove = useChange(
    (api) => api.send('DELETE', `${connectionsPath}/${identifier}`),
    [`${connectionsPath}?`, '/devices', '/builds'],
  );
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t.menu(name)}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setDialog('edit')}>{t.edit}</Menu.Item>
          <Menu.Item onClick={() => void copyText(identifier).then(() => showSuccess(texts.common.copied))}>
            {t.copyId}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" onClick={() => setDialog('remove')}>
            {t.remove}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={dialog === 'edit'} onClose={close} title={t.editTitle(name)} centered>
        {dialog === 'edit' && (
          <ConnectionForm
            connection={connection}
            onDone={() => {
              close();
              showSuccess(texts.common.saved);
            }}
          />
        )}
      </Modal>
      <ConfirmDialog
        isOpen={dialog === 'remove'}
        title={t.removeTitle(name)}
        action={t.remove}
        onClose={close}
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          showSuccess(t.removed(name));
        }}
      >
        {t.removeEffect[provider]}
      </ConfirmDialog>
    </>
  );
}
