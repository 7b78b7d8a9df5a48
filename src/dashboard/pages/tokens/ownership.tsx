// Tokens limited because their owner has lost a role: badge, hint, and button to take over.
import { Badge, Button } from '@mantine/core';
import type { ProjectAccessToken } from '../../../tokens/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { isExpired } from '../../components/token-row.tsx';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';

type Token = Pick<ProjectAccessToken, 'identifier' | 'name' | 'role' | 'effective_role' | 'revoked_at' | 'expires_at'>;

/** Returns whether a token that has neither been revoked nor expired has fewer permissions than its role. */
function isLimited(token: Token): boolean {
  const isOver = token.revoked_at !== null || isExpired(token, Date.now());
  return !isOver && token.effective_role !== token.role;
}

/** Shows the remaining role of a limited token. */
export function OwnershipBadge({ token }: { token: Token }) {
  const texts = useTexts();
  const t = texts.projectTokens;
  if (!isLimited(token)) return null;
  const role = token.effective_role;
  if (role === null) return <Badge color="red">{t.stopped}</Badge>;
  return <Badge color="yellow">{t.limited(texts.roles.project[role] ?? role)}</Badge>;
}

/** Shows why a token is limited and what to do. */
export function OwnershipHint({ token }: { token: Token }) {
  const t = useTexts().projectTokens;
  const project = useProject();
  if (!isLimited(token)) return null;
  const may = mayInProject(project, 'project.take_over_token');
  return <div className="tw-small">{may ? t.limitedForAdmin : t.limitedForOthers}</div>;
}

/** The button with which a project admin takes over a limited token. */
export function TakeOverButton({ token, collection }: { token: Token; collection: string }) {
  const t = useTexts().projectTokens;
  const project = useProject();
  const takeOver = useChange((api) => api.send('POST', `${collection}/${token.identifier}/take-over`), [collection]);
  if (!isLimited(token) || !mayInProject(project, 'project.take_over_token')) return null;
  return (
    <>
      <Button
        size="compact-sm"
        loading={takeOver.isPending}
        onClick={() => takeOver.mutate(undefined, { onSuccess: () => showSuccess(t.takenOver(token.name)) })}
      >
        {t.takeOver}
      </Button>
      {takeOver.error !== null && <ErrorAlert error={takeOver.error} />}
    </>
  );
}
