// Errors as users see them: what happened, what to do, and the request ID for the operator.
import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconLock, IconMoodEmpty, IconPlugConnectedX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { ApiError, ConnectionError, ExplainedError, PasskeyExistsError } from '../api/errors.ts';
import type { Texts } from '../texts/en.ts';
import { useTexts } from '../texts/locale.ts';
import { CopyButton } from './copy.tsx';

interface Words {
  title: string;
  text: string;
}

const requiresFactor = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'mfa_enrollment_required';

/** Whether passkeys satisfy the policy of an organization that requires two-factor authentication. */
const acceptsPasskeys = ({ details }: ApiError): boolean => details.passkey_satisfies !== false;

/** Returns texts for any thrown value, and the server's `message` if it adds something. */
export function describeError(error: unknown, texts: Texts): Words & { message: string | null } {
  const t = texts.errors;
  if (error instanceof ConnectionError) return { ...t.connection, message: null };
  if (error instanceof PasskeyExistsError) return { ...t.passkeyExists, message: null };
  if (!(error instanceof ApiError)) return { ...t.unexpected, message: null };
  if (error.hasInvalidPath) return { ...t.statuses[404], message: null };
  const byCode: Record<string, Words> = t.codes;
  const byStatus: Record<number, Words> = t.statuses;
  const byReason: Record<string, Words> = t.reasons;
  const words =
    (error instanceof ExplainedError ? error.words : undefined) ??
    byReason[String(error.details.reason)] ??
    (requiresFactor(error) && !acceptsPasskeys(error) ? t.authenticatorRequired : undefined) ??
    byCode[error.code] ??
    byStatus[error.status] ??
    (error.status >= 500 ? t.server : t.rejected);
  const wait = error.retryAfter === null ? '' : ` ${t.tryAgainIn(error.retryAfter)}`;
  // A message that equals the title isn't shown twice.
  const isNew = error.message !== '' && error.message !== words.title;
  return { title: words.title, text: words.text + wait, message: isNew ? error.message : null };
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
  const { title, text, message } = describeError(error, texts);
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} />} title={title} role="alert">
      <Stack gap={6} align="flex-start">
        {message !== null && <Text size="sm">{message}</Text>}
        {text !== '' && text !== message && <Text size="sm">{text}</Text>}
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

/** The page for people whose role doesn't allow what is at an address. */
export function RoleErrorPage() {
  return <ErrorPage error={new ApiError(403, { error: 'insufficient_role' }, new Headers())} />;
}

/** Shows an error instead of a page. */
export function ErrorPage({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const texts = useTexts();
  const { title, text, message } = describeError(error, texts);
  const status = error instanceof ApiError ? (error.hasInvalidPath ? 404 : error.status) : 0;
  const isFactorMissing = requiresFactor(error);
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
      {message !== null && status !== 404 && <Text c="dimmed">{message}</Text>}
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
