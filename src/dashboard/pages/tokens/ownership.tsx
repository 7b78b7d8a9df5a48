// A token whose owner lost a role: what is left of it, and the button that takes it over.
import { Badge, Button } from '@mantine/core';
import type { ProjectAccessToken } from '../../../tokens/schema.ts';
import { useChange } from '../../api/api-context.ts';
import { sayDone } from '../../parts/toasts.ts';
import { mayInProject } from '../../shell/me.ts';
import { useTexts } from '../../texts/languages.ts';
import { useProject } from '../project/project-context.ts';

type Token = Pick<ProjectAccessToken, 'identifier' | 'name' | 'role' | 'effective_role' | 'revoked_at'>;

/** Whether a token may do less than its own role says. */
function isLimited({ role, effective_role: effective, revoked_at: revokedAt }: Token): boolean {
  return revokedAt === null && effective !== role;
}

/** What is left of a token; nothing for one that works with its own role. */
export function OwnershipBadge({ token }: { token: Token }) {
  const texts = useTexts();
  const t = texts.projectTokens;
  if (!isLimited(token)) return null;
  const role = token.effective_role;
  if (role === null) return <Badge color="red">{t.stopped}</Badge>;
  return <Badge color="yellow">{t.limited(texts.roles.project[role] ?? role)}</Badge>;
}

/** Why a token may do less, and what to do about it. */
export function OwnershipHint({ token }: { token: Token }) {
  const t = useTexts().projectTokens;
  const project = useProject();
  if (!isLimited(token)) return null;
  const may = mayInProject(project, 'project.take_over_token');
  return <div className="tw-small">{may ? t.limitedForAdmin : t.limitedForOthers}</div>;
}

/** Takes a limited token over with one click; for admins of the project. */
export function TakeOverButton({ token, collection }: { token: Token; collection: string }) {
  const t = useTexts().projectTokens;
  const project = useProject();
  const takeOver = useChange((api) => api.send('POST', `${collection}/${token.identifier}/take-over`), [collection]);
  if (!isLimited(token) || !mayInProject(project, 'project.take_over_token')) return null;
  return (
    <Button
      size="compact-sm"
      loading={takeOver.isPending}
      onClick={() => takeOver.mutate(undefined, { onSuccess: () => sayDone(t.takenOver(token.name)) })}
    >
      {t.takeOver}
    </Button>
  );
}
