// The access tokens of the project.
import { Button, Modal, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { ProjectRole } from '../../../permissions.ts';
import type { ProjectAccessToken } from '../../../tokens/schema.ts';
import { useReadPages } from '../../api/hooks.ts';
import { CommandBlock } from '../../components/copy.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { useMemberNames } from '../../components/member-names.ts';
import { OneTimeSecretDialog } from '../../components/one-time-secret.tsx';
import { EmptyState, PageHeader, QueryContent, RowsSkeleton } from '../../components/page.tsx';
import { requestCommand } from '../../components/request-command.ts';
import { RoleErrorPage } from '../../components/role-error.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { TokenRow } from '../../components/token-row.tsx';
import { mayInProject } from '../../shell/current-user.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { inProject, useProject } from '../project/project-context.ts';
import { type CiCommandOptions, commandWithCurl, commandWithProgram } from './ci-commands.ts';
import { OwnershipBadge, OwnershipHint, TakeOverButton } from './ownership.tsx';
import { TokenForm } from './token-form.tsx';

const collection = '/project-access-tokens';

/** The secret and role of a new or rotated token. */
interface CreatedToken {
  token: string;
  role: ProjectRole;
}

export function Page() {
  const project = useProject();
  if (mayInProject(project, 'project.manage_tokens')) return <TokensPage />;
  return <RoleErrorPage organizationId={project.organization_id} />;
}

function TokensPage() {
  const texts = useTexts();
  const t = texts.projectTokens;
  const project = useProject();
  const { base } = useServerInfo();
  const server = `${location.origin}${base}`;
  const query = inProject(project);
  const list = useReadPages<ProjectAccessToken>(collection, { query });
  const nameOf = useMemberNames(project.organization_id);
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<CreatedToken>();
  const createButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {t.create}
    </Button>
  );
  const path = `${collection}?organization_id=${query.organization_id}&project_id=${query.project_id}`;
  const example = { name: 'ci', role: 'maintainer' };
  return (
    <>
      <PageHeader title={t.title} hint={t.hint} actions={list.rows?.length ? createButton : undefined} />
      <QueryContent read={{ ...list, data: list.rows }} loading={<RowsSkeleton rows={3} picture={28} hasCaption />}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              drawing="key"
              title={t.emptyTitle}
              text={t.emptyText}
              action={createButton}
              command={`# ${t.loginComment}\n${requestCommand(server, 'POST', path, example)}`}
            />
          ) : (
            <div className="tw-section">
              <ul className="tw-list" aria-label={t.title}>
                {rows.map((token) => (
                  <TokenRow
                    key={token.identifier}
                    token={token}
                    collection={collection}
                    may={texts.roles.project[token.role] ?? token.role}
                    origin={
                      <>
                        {t.created} <RelativeTime at={token.created_at} />{' '}
                        {t.createdBy(nameOf(token.created_by) ?? t.formerMember)}
                        {token.owner_id !== token.created_by && token.owner_id !== null && (
                          <> · {t.owner(nameOf(token.owner_id) ?? t.formerMember)}</>
                        )}
                        <OwnershipHint token={token} />
                      </>
                    }
                    badge={<OwnershipBadge token={token} />}
                    action={<TakeOverButton token={token} collection={collection} />}
                    onSecret={(secret) => setCreated({ token: secret, role: token.role })}
                  />
                ))}
              </ul>
              <LoadMore list={list} />
            </div>
          )
        }
      </QueryContent>
      <Modal opened={isCreating} onClose={() => setCreating(false)} title={t.create} centered>
        {isCreating && (
          <TokenForm
            onCreated={(token) => {
              setCreating(false);
              setCreated(token);
            }}
          />
        )}
      </Modal>
      <OneTimeSecretDialog
        title={t.secretTitle}
        secret={created?.token}
        use={created && <Commands place={{ server, project, ...created }} />}
        onClose={() => setCreated(undefined)}
      >
        <Text size="sm">{t.secretText}</Text>
      </OneTimeSecretDialog>
    </>
  );
}

function Commands({ place }: { place: CiCommandOptions }) {
  const t = useTexts().projectTokens;
  return (
    <>
      <Text size="sm">{t.command}</Text>
      <CommandBlock text={commandWithProgram(place)} />
      <details className="tw-details">
        <summary>{t.curl}</summary>
        <CommandBlock text={commandWithCurl(place)} />
      </details>
    </>
  );
}
