// An access token in a list, with buttons to rotate, revoke and delete it.
import { Badge, Button } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { ProjectAccessToken } from '../../tokens/schema.ts';
import type { Query } from '../api/api-url.ts';
import { useChange } from '../api/hooks.ts';
import { useTexts } from '../texts/locale.ts';
import { ConfirmDialog } from './confirm.tsx';
import { RelativeTime, TimeInText, useNow } from './time.tsx';

type Token = Pick<ProjectAccessToken, 'identifier' | 'name' | 'expires_at' | 'revoked_at' | 'last_used_at'>;

interface TokenRowProps {
  token: Token;
  /** The path of the collection, such as `/pats`. */
  collection: string;
  /** Query parameters that deleting a token requires. */
  query?: Query;
  /** The token's permissions as text. */
  may: string;
  /** Shown below: who created it. */
  origin?: ReactNode;
  /** Shown beside the name: why the token is limited. */
  badge?: ReactNode;
  /** Shown before the other buttons of a token that works. */
  action?: ReactNode;
  onSecret(secret: string): void;
}

/** Returns whether a token has expired. */
export function isExpired({ expires_at: expiresAt }: Pick<Token, 'expires_at'>, now: number): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= now;
}

/** Renders the row. A revoked token can only be deleted, and an expired one revoked, after which it can be deleted. */
export function TokenRow({ token, collection, query = {}, may, origin, badge, action, onSecret }: TokenRowProps) {
  const t = useTexts().account.tokens;
  const [dialog, setDialog] = useState<'rotate' | 'revoke' | 'delete'>();
  const path = `${collection}/${token.identifier}`;
  const rotate = useChange((api) => api.send<{ token: string }>('POST', `${path}/rotate`), [collection]);
  const revoke = useChange((api) => api.send('POST', `${path}/revoke`), [collection]);
  const remove = useChange((api) => api.send('DELETE', path, { query }), [collection]);
  const isRevoked = token.revoked_at !== null;
  const hasExpired = isExpired(token, useNow());
  return (
    <li>
      <span className="tw-tone">
        <IconKey size={16} stroke={1.75} aria-hidden />
      </span>
      <div className="tw-grow">
        <div className="tw-strong">
          {token.name}{' '}
          {isRevoked ? <Badge color="red">{t.revoked}</Badge> : hasExpired && <Badge color="gray">{t.expired}</Badge>}
          {badge}
        </div>
        <div className="tw-small">
          {may} · <Ending at={token.expires_at} hasExpired={hasExpired} /> · <Use at={token.last_used_at} />
        </div>
        {origin !== undefined && <div className="tw-small">{origin}</div>}
      </div>
      {isRevoked ? (
        <Button size="compact-sm" variant="subtle" color="red" onClick={() => setDialog('delete')}>
          {t.delete}
        </Button>
      ) : (
        <div className="tw-row-end">
          {!hasExpired && (
            <>
              {action}
              <Button size="compact-sm" variant="default" onClick={() => setDialog('rotate')}>
                {t.rotate}
              </Button>
            </>
          )}
          <Button size="compact-sm" variant="subtle" color="red" onClick={() => setDialog('revoke')}>
            {t.revoke}
          </Button>
        </div>
      )}
      <ConfirmDialog
        isOpen={dialog !== undefined}
        title={dialog === undefined ? '' : t.confirm[dialog].title(token.name)}
        action={dialog === undefined ? '' : t[dialog]}
        isHarmless={dialog === 'rotate'}
        onClose={() => setDialog(undefined)}
        onConfirm={async () => {
          if (dialog === 'rotate') onSecret((await rotate.mutateAsync(undefined)).token);
          else await (dialog === 'revoke' ? revoke : remove).mutateAsync(undefined);
        }}
      >
        {dialog === undefined ? '' : t.confirm[dialog].text}
      </ConfirmDialog>
    </li>
  );
}

function Ending({ at, hasExpired }: { at: string | null; hasExpired: boolean }) {
  const t = useTexts().account.tokens;
  if (at === null) return t.neverExpires;
  return <TimeInText text={hasExpired ? t.expiredAt : t.expires} at={at} />;
}

function Use({ at }: { at: string | null }) {
  const t = useTexts().account.tokens;
  if (at === null) return t.neverUsed;
  return (
    <>
      {t.lastUsed} <RelativeTime at={at} />
    </>
  );
}
