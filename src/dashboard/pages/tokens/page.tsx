// Access tokens of the project, for build servers: each is held to the role of its owner.
import { Button, Modal, Text } from '@mantine/core';
import { IconKey, IconLock, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { ProjectRole } from '../../../permissions.ts';
import type { ProjectAccessToken } from '../../../tokens/schema.ts';
import { useReadPages } from '../../api/api-context.ts';
import { Command } from '../../parts/copy.tsx';
import { LoadMore } from '../../parts/load-more.tsx';
import { useMemberNames } from '../../parts/member-names.ts';
import { Empty, PageHead, Shown } from '../../parts/page.tsx';
import { requestCommand } from '../../parts/request-command.ts';
import { Secret } from '../../parts/secret.tsx';
import { Time } from '../../parts/time.tsx';
import { TokenRow } from '../../parts/token-row.tsx';
import { useFacts } from '../../shell/facts.ts';
import { mayInProject } from '../../shell/me.ts';
import { useTexts } from '../../texts/languages.ts';
import { inProject, useProject } from '../project/project-context.ts';
import { type CiPlace, commandWithCurl, commandWithProgram } from './ci-commands.ts';
import { OwnershipBadge, OwnershipHint, TakeOverButton } from './ownership.tsx';
import { TokenForm } from './token-form.tsx';

const collection = '/project-access-tokens';

/** A secret, and what the token may. */
interface Made {
  token: string;
  role: ProjectRole;
}

export function Page() {
  const refusal = useTexts().problems.codes.insufficient_role;
  if (mayInProject(useProject(), 'project.manage_tokens')) return <TokensPage />;
  const icon = <IconLock size={40} stroke={1.4} aria-hidden />;
  return <Empty icon={icon} title={refusal?.title ?? ''} text={refusal?.text} isAlone />;
}

function TokensPage() {
  const texts = useTexts();
  const t = texts.projectTokens;
  const project = useProject();
  const { base } = useFacts();
  const server = `${location.origin}${base}`;
  const query = inProject(project);
  const list = useReadPages<ProjectAccessToken>(collection, { query });
  const nameOf = useMemberNames(project.organization_id);
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<Made>();
  const createButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setMaking(true)}>
      {t.create}
    </Button>
  );
  const path = `${collection}?organization_id=${query.organization_id}&project_id=${query.project_id}`;
  const example = { name: 'ci', role: 'maintainer' };
  return (
    <>
      <PageHead title={t.title} hint={t.hint} actions={list.rows?.length ? createButton : undefined} />
      <Shown read={{ ...list, data: list.rows }}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty
              icon={<IconKey size={40} stroke={1.4} aria-hidden />}
              title={t.emptyTitle}
              text={t.emptyText}
              action={createButton}
              command={`# ${t.loginComment}\n${requestCommand(server, 'POST', path, example)}`}
            />
          ) : (
            <div className="tw-card">
              <ul className="tw-list" aria-label={t.title}>
                {rows.map((token) => (
                  <TokenRow
                    key={token.identifier}
                    token={token}
                    collection={collection}
                    may={texts.roles.project[token.role] ?? token.role}
                    origin={
                      <>
                        {t.created} <Time at={token.created_at} />{' '}
                        {t.createdBy(nameOf(token.created_by) ?? t.formerMember)}
                        {token.owner_id !== token.created_by && token.owner_id !== null && (
                          <> · {t.owner(nameOf(token.owner_id) ?? t.formerMember)}</>
                        )}
                        <OwnershipHint token={token} />
                      </>
                    }
                    badge={<OwnershipBadge token={token} />}
                    action={<TakeOverButton token={token} collection={collection} />}
                    onSecret={(secret) => setMade({ token: secret, role: token.role })}
                  />
                ))}
              </ul>
              <LoadMore list={list} />
            </div>
          )
        }
      </Shown>
      <Modal opened={isMaking} onClose={() => setMaking(false)} title={t.create} centered>
        {isMaking && (
          <TokenForm
            onMade={(token) => {
              setMaking(false);
              setMade(token);
            }}
          />
        )}
      </Modal>
      <Secret
        title={t.secretTitle}
        secret={made?.token}
        use={made && <Commands place={{ server, project, ...made }} />}
        onClose={() => setMade(undefined)}
      >
        <Text size="sm">{t.secretText}</Text>
      </Secret>
    </>
  );
}

function Commands({ place }: { place: CiPlace }) {
  const t = useTexts().projectTokens;
  return (
    <>
      <Text size="sm">{t.command}</Text>
      <Command text={commandWithProgram(place)} />
      <details className="tw-details">
        <summary>{t.curl}</summary>
        <Command text={commandWithCurl(place)} />
      </details>
    </>
  );
}
