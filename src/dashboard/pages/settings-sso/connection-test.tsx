// Tests an OpenID Connect connection without a person: discovery, keys and client secret.
import { Badge, Button, Text } from '@mantine/core';
import type { SsoTestResult } from '../../../sso/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { useTexts } from '../../texts/locale.ts';
import { useSsoPath } from './sso.ts';

const colors = { passed: 'green', failed: 'red', unknown: 'gray' } as const;

export function ConnectionTest() {
  const t = useTexts().sso.connectionTest;
  const path = useSsoPath();
  const test = useChange((api) => api.send<SsoTestResult>('POST', `${path}/test`), []);
  return (
    <div className="tw-part">
      <div className="tw-row tw-wrap">
        <div className="tw-grow">
          <div className="tw-strong">{t.title}</div>
          <div className="tw-small">{t.hint}</div>
        </div>
        <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate(undefined)}>
          {t.action}
        </Button>
      </div>
      <div role="status">
        {test.data !== undefined && (
          <ul className="tw-list" aria-label={t.title}>
            {test.data.checks.map(({ name, result, message }) => (
              <li key={name}>
                <Text size="sm" component="div" className="tw-grow">
                  {t.checks[name]}
                  {message !== null && <div className="tw-small">{message}</div>}
                </Text>
                <Badge variant="light" color={colors[result]}>
                  {t.results[result]}
                </Badge>
              </li>
            ))}
          </ul>
        )}
      </div>
      {test.error !== null && <ErrorAlert error={test.error} />}
    </div>
  );
}
