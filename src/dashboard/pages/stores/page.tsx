// The store connections of the organization: what was validated, and the used places for devices.
import { Button, Modal } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { EmptyState, PageHeader, QueryContent, RowsSkeleton } from '../../components/page.tsx';
import { requestCommand } from '../../components/request-command.ts';
import { RoleErrorPage } from '../../components/role-error.tsx';
import { useStoreConnections } from '../../components/stores.ts';
import { showSuccess } from '../../components/toasts.ts';
import { mayInOrganization, useOrganization } from '../../shell/current-user.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { ConnectionForm } from './connection-form.tsx';
import { ConnectionItem } from './connection-item.tsx';

export function Page() {
  const organization = useOrganization();
  if (!mayInOrganization(organization, 'store_connection.read')) {
    return <RoleErrorPage />;
  }
  return <StoresPage key={organization.identifier} />;
}

function StoresPage() {
  const t = useTexts().stores;
  const organization = useOrganization();
  const { base } = useServerInfo();
  const [isAdding, setAdding] = useState(false);
  const connections = useStoreConnections();
  const addButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      {t.add}
    </Button>
  );
  const example = {
    provider: 'app_store_connect',
    name: organization.name,
    key_id: 'ABCDE12345',
    issuer_id: '…',
    private_key: '…',
  };
  return (
    <>
      <PageHeader
        title={t.title}
        hint={t.hint}
        actions={connections.data !== undefined && connections.data.length > 0 && addButton}
      />
      <QueryContent read={connections} loading={<RowsSkeleton rows={2} picture={28} hasCaption />}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              drawing="key"
              title={t.emptyTitle}
              text={t.emptyText}
              action={addButton}
              command={requestCommand(
                `${location.origin}${base}`,
                'POST',
                `/store-connections?organization_id=${organization.identifier}`,
                example,
              )}
            />
          ) : (
            <ul className="tw-stores" aria-label={t.list}>
              {rows.map((connection) => (
                <ConnectionItem key={connection.identifier} connection={connection} />
              ))}
            </ul>
          )
        }
      </QueryContent>
      <Modal opened={isAdding} onClose={() => setAdding(false)} title={t.addTitle} centered>
        {isAdding && (
          <ConnectionForm
            onDone={({ name }) => {
              setAdding(false);
              showSuccess(t.connected(name));
            }}
          />
        )}
      </Modal>
    </>
  );
}
