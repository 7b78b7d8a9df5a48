// Errors as users see them: what happened, what to do, and the request ID for the operator.
import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconLock, IconMoodEmpty, IconPlugConnectedX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useContext, useState } from 'react';
import { defaultMessageOf } from '../../lib/errors.ts';
import {
  ApiError,
  ConnectionError,
  ExplainedError,
  isSignedOut,
  PageError,
  PasskeyExistsError,
} from '../api/errors.ts';
import { useAppStatus } from '../shell/app-status.ts';
import { CurrentUserContext, mayInOrganization } from '../shell/current-user.ts';
import { useIsReachable } from '../shell/reachability.ts';
import { useServerInfo } from '../shell/server-info.ts';
import { useIsSessionExpired } from '../shell/session-status.ts';
import type { Texts } from '../texts/en.ts';
import { useLocale, useTexts } from '../texts/locale.ts';
import { CopyButton } from './copy.tsx';
import { useProblemTitle } from './window-title.ts';

interface Words {
  title: string;
  text: string;
}

const requiresFactor = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'mfa_enrollment_required';

/** Whether passkeys satisfy the policy of an organization that requires two-factor authentication. */
const acceptsPasskeys = ({ details }: ApiError): boolean => details.passkey_satisfies !== false;

/** What the way out of an error depends on. */
interface Ways {
  /** Without online payments, the operator unlocks organizations. */
  hasOnlinePayments: boolean;
  /** Without email, the operator has the links. */
  sendsMail: boolean;
}

/** Returns texts for any thrown value, and the server's `message` if it adds something. */
export function describeError(
  error: unknown,
  texts: Texts,
  { hasOnlinePayments, sendsMail }: Ways = { hasOnlinePayments: true, sendsMail: true },
): Words & { message: string | null } {
  const t = texts.errors;
  if (error instanceof ConnectionError) return { ...t.connection, message: null };
  if (error instanceof PasskeyExistsError) return { ...t.passkeyExists, message: null };
  if (error instanceof PageError) return { ...error.words, message: null };
  if (!(error instanceof ApiError)) return { ...t.unexpected, message: null };
  if (error.hasInvalidPath) return { ...t.statuses[404], message: null };
  const byCode: Record<string, Words> = t.codes;
  const byStatus: Record<number, Words> = t.statuses;
  const byReason: Record<string, Words> = t.reasons;
  const byOperator =
    (hasOnlinePayments ? undefined : t.offlineCodes[error.code]) ??
    (sendsMail ? undefined : t.unmailedCodes[error.code]);
  const words =
    (error instanceof ExplainedError ? error.words : undefined) ??
    byReason[String(error.details.reason)] ??
    byOperator ??
    (requiresFactor(error) && !acceptsPasskeys(error) ? t.authenticatorRequired : undefined) ??
    byCode[error.code] ??
    byStatus[error.status] ??
    (error.status >= 500 ? t.server : t.rejected);
  const wait = error.retryAfter === null ? '' : ` ${t.tryAgainIn(error.retryAfter)}`;
  // Neither a message that equals the title, nor what the title says in other words.
  const isNew = error.message !== '' && error.message !== words.title && error.message !== defaultMessageOf(error.code);
  return { title: words.title, text: words.text + wait, message: isNew ? error.message : null };
}

/** Returns texts for any thrown value on this server. */
function useErrorWords(error: unknown) {
  return describeError(error, useTexts(), useServerInfo());
}

/** What the server wrote, in English. In other languages, that is said. */
export function ServerMessage({ message, isDimmed = false }: { message: string; isDimmed?: boolean }) {
  const { language, texts } = useLocale();
  return (
    <Text size={isDimmed ? 'md' : 'sm'} {...(isDimmed && { c: 'dimmed' })}>
      {language !== 'en' && `${texts.errors.serverMessage} `}
      <span lang="en">{message}</span>
    </Text>
  );
}

/** Leads people who can pay to the page for it. */
function BillingLink({ error }: { error: unknown }) {
  const t = useTexts().errors;
  const organization = useContext(CurrentUserContext)?.organization;
  if (!(error instanceof ApiError) || error.status !== 402 || organization === undefined) return null;
  if (!mayInOrganization(organization, 'billing.manage')) return null;
  return (
    <Link to="/billing" className="tw-link">
      {t.openBilling}
    </Link>
  );
}

/** Returns whether an error is over, because the user has signed in again since it was shown, or the connection is back. */
function useIsOver(error: unknown): boolean {
  const { session, reachability } = useAppStatus();
  const isExpired = useIsSessionExpired(session);
  const isReached = useIsReachable(reachability);
  const lasts = (isSignedOut(error) && isExpired) || (error instanceof ConnectionError && !isReached);
  const [met, setMet] = useState<unknown>();
  if (lasts && met !== error) setMet(error);
  return !lasts && met !== undefined && met === error;
}

function RequestId({ error }: { error: unknown }) {
  const t = useTexts();
  if (!(error instanceof ApiError) || error.requestId === null) return null;
  return (
    <Text size="xs" c="dimmed" component="div" className="tw-request-id">
      {t.errors.requestId} <code>{error.requestId}</code>
      <CopyButton text={error.requestId} what={t.errors.requestId} />
    </Text>
  );
}

/** Shows an error inside a page or form. */
export function ErrorAlert({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const texts = useTexts();
  const { title, text: usual, message } = useErrorWords(error);
  const isSent = error instanceof ConnectionError && onRetry === undefined;
  const text = isSent ? texts.errors.connection.again : usual;
  if (useIsOver(error)) return null;
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} />} title={title} role="alert">
      <Stack gap={6} align="flex-start">
        {message !== null && <ServerMessage message={message} />}
        {text !== '' && text !== message && <Text size="sm">{text}</Text>}
        <BillingLink error={error} />
        <RequestId error={error} />
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {texts.errors.tryAgain}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** Shows an error instead of a page. */
export function ErrorPage({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const texts = useTexts();
  const { title, text, message } = useErrorWords(error);
  const status = error instanceof ApiError ? (error.hasInvalidPath ? 404 : error.status) : 0;
  const isFactorMissing = requiresFactor(error);
  useProblemTitle(title);
  const Icon =
    error instanceof ConnectionError
      ? IconPlugConnectedX
      : status === 404
        ? IconMoodEmpty
        : status === 403 || status === 402
          ? IconLock
          : IconAlertTriangle;
  return (
    <Stack className="tw-whole-problem" role="alert">
      <Icon size={40} stroke={1.4} aria-hidden />
      <Title order={1} size="h2">
        {title}
      </Title>
      <Text>{text}</Text>
      {message !== null && status !== 404 && <ServerMessage message={message} isDimmed />}
      <BillingLink error={error} />
      <RequestId error={error} />
      <Group>
        {isFactorMissing && (
          <Button component={Link} to="/me" hash={acceptsPasskeys(error) ? 'passkeys' : 'two-factor'}>
            {texts.errors.setUpFactor}
          </Button>
        )}
        {onRetry && status !== 404 && (
          <Button onClick={onRetry} {...(isFactorMissing ? { variant: 'default' } : {})}>
            {texts.errors.tryAgain}
          </Button>
        )}
        {status === 404 && (
          <Button component={Link} to="/">
            {texts.errors.home}
          </Button>
        )}
        {/* A tab that a link opened has no page before this one. */}
        {history.length > 1 && (
          <Button variant="default" onClick={() => history.back()}>
            {texts.errors.back}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
