// The documentation names every entry of the lists that it repeats.
import { describe, expect, it } from 'vitest';
import { ciSystems } from '../../src/commands/client/ci-systems.ts';
import * as feedback from '../../src/feedback/limits.ts';
import { feedFacts } from '../../src/feeds/kinds.ts';
import { platformFacts } from '../../src/platforms.ts';
import { formats } from '../../src/webhook-events.ts';
import { readPage } from './pages.ts';

const missingIn = (page: string, entries: readonly string[]): string[] => {
  const text = readPage(page);
  return entries.filter((entry) => !text.includes(entry));
};

describe('the documentation', () => {
  it('names the CI systems whose variables are read', () => {
    expect(
      missingIn(
        'docs/ci.md',
        ciSystems.map(({ name }) => name),
      ),
    ).toEqual([]);
  });

  it('names the formats of webhooks', () => {
    expect(
      missingIn(
        'docs/webhooks.md',
        formats.map((format) => `\`${format}\``),
      ),
    ).toEqual([]);
  });

  it('has the addresses of all kinds of feeds, for users and programs', () => {
    const paths = Object.values(feedFacts).map(({ path }) => path);
    expect(
      missingIn(
        'docs/feeds.md',
        paths.map((path) => `/feeds/FEED/${path}\``),
      ),
    ).toEqual([]);
    expect(
      missingIn(
        'docs/specification/feeds.md',
        paths.map((path) => `\`${path}`),
      ),
    ).toEqual([]);
  });

  it('names the packages of each platform', () => {
    const endings = Object.values(platformFacts).map(({ extension }) => `.${extension}`);
    expect(missingIn('docs/README.md', endings)).toEqual([]);
  });

  it('has the limits of feedback', () => {
    const number = (value: number) => value.toLocaleString('en');
    const rows = [
      `| text of feedback, and of a reply | ${number(feedback.MAX_TEXT)} characters |`,
      `| pictures of one feedback | ${feedback.MAX_PICTURES} of ${feedback.MAX_PICTURE_BYTES / 1024 ** 2} MiB,`,
      `| feedback of an account or an install | ${feedback.MAX_PER_HOUR} in an hour`,
      `| feedback of a project | ${number(feedback.MAX_PER_PROJECT)} `,
      `| pictures of a project | ${feedback.MAX_BYTES_PER_PROJECT / 1024 ** 3} GiB `,
      `| replies to one feedback | ${feedback.MAX_REPLIES} `,
    ];
    expect(missingIn('docs/specification/feedback.md', rows)).toEqual([]);
  });
});
