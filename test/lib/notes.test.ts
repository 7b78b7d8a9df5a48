// Release notes: the subset of Markdown, its HTML and its plain text.
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { renderNotes } from '../../src/lib/markdown/markup.ts';
import { readNote } from '../../src/lib/markdown/notes.ts';
import { firstLineOfNotes, notesToPlainText } from '../../src/lib/markdown/plain-text.ts';
import { anyText } from '../support/any-text.ts';
import { leastCpu } from '../support/cpu.ts';

const page = (notes: string, maxBytes = 100_000) => renderNotes(notes, { place: 'page', maxBytes })?.toString() ?? null;
const mail = (notes: string) => renderNotes(notes, { place: 'mail', maxBytes: 100_000 })?.toString() ?? null;

describe('HTML of notes', () => {
  it.each([
    ['a paragraph with line breaks', 'One\nTwo\n\nThree', '<p dir="auto">One<br>\nTwo</p><p dir="auto">Three</p>'],
    ['a heading of any level', '# A\n###### B', '<h3 dir="auto">A</h3><h3 dir="auto">B</h3>'],
    ['a heading after the byte order mark of a file', '\ufeff# A', '<h3 dir="auto">A</h3>'],
    ['emphasis', '**b** _i_ ~~d~~ `c`', '<p dir="auto"><strong>b</strong> <em>i</em> <del>d</del> <code>c</code></p>'],
    ['emphasis after an exclamation mark', 'Wow!**b**', '<p dir="auto">Wow!<strong>b</strong></p>'],
    [
      'emphasis in eight levels, and the text of the others',
      `${'**a ~~b '.repeat(5)}c${' d~~ e**'.repeat(5)}`,
      `<p dir="auto">${'<strong>a <del>b '.repeat(4)}a b c d e${' d</del> e</strong>'.repeat(4)}</p>`,
    ],
    ['bullets', '- a\n- b', '<ul dir="auto"><li>a</li><li>b</li></ul>'],
    ['bullets of other programs', '• a\n– b', '<ul dir="auto"><li>a</li><li>b</li></ul>'],
    ['numbers', '3. a\n4. b', '<ol dir="auto" start="3"><li>a</li><li>b</li></ol>'],
    ['lists in lists', '- a\n  - b', '<ul dir="auto"><li>a<ul dir="auto"><li>b</li></ul></li></ul>'],
    ['quotes', '> a', '<blockquote dir="auto"><p dir="auto">a</p></blockquote>'],
    ['code', '```\n• **a**\n```', '<pre dir="ltr"><code>• **a**</code></pre>'],
    ['an issue number, which is no heading', '#12 fixed', '<p dir="auto">#12 fixed</p>'],
  ])('has %s', (_, notes, expected) => {
    expect(page(notes)).toBe(expected);
  });

  const link = (href: string, text: string) => `<a href="${href}" rel="noopener nofollow" target="_blank">${text}</a>`;
  it.each([
    ['with text', '[a](https://x.example/?b=1&c=2)', link('https://x.example/?b=1&amp;c=2', 'a')],
    ['to an address', '<a@x.example>', link('mailto:a@x.example', 'a@x.example')],
    [
      'written out',
      'See https://x.example/a_b_c.',
      `See ${link('https://x.example/a_b_c', 'https://x.example/a_b_c')}.`,
    ],
    ['in parentheses', '(http://x.example/)', `(${link('http://x.example/', 'http://x.example/')})`],
    ['instead of an image', '![a](https://x.example/a.png)', link('https://x.example/a.png', 'a')],
  ])('has links: %s', (_, notes, expected) => {
    expect(page(notes)).toBe(`<p dir="auto">${expected}</p>`);
  });

  it.each([
    '[a](javascript:alert(1))',
    '[a](JaVaScRiPt:alert(1))',
    '[a](java&#x73;cript:alert(1))',
    '[a](data:text/html,x)',
    '[a](vbscript:x)',
    '[a](file:///etc/passwd)',
    '[a](//x.example)',
    '[a](/login)',
    '[a](\\\\x.example)',
    '[a](https:x.example)',
    '[a](itms-services://?action=x)',
    '<javascript:alert(1)>',
    '<img src=x onerror=alert(1)>',
    '<script>alert(1)</script>',
    '<a href="/login">',
    '<!-- a -->',
    '&lt;script&gt;',
    '[a]: /login\n\n[a]',
    '| a |\n|---|\n| b |',
  ])('has no element for %s', (notes) => {
    for (const markup of [page(notes), mail(notes)]) expect(markup).not.toMatch(/<(?!\/?p\b|br>)/);
  });

  it('has only elements of the subset, each closed, for any text', () => {
    const part = fc.constantFrom(
      ...[
        '<',
        '>',
        '"',
        "'",
        '&',
        '&lt;',
        '&#x202e;',
        '\u202e',
        '[',
        ']',
        '](',
        '(',
        ')',
        '![',
        '<a',
        'onload=',
        '`',
        '```',
        '\n',
        '\n\n',
      ],
      ...[
        '*',
        '**',
        '_',
        '~~',
        '# ',
        '- ',
        '1. ',
        '> ',
        '  ',
        '\t',
        '\\',
        'javascript:',
        'https://x.example',
        'mailto:',
        'a@b',
        '\u0000',
        '\ud800',
      ],
    );
    const texts = fc.oneof(
      anyText(),
      fc.array(part, { maxLength: 60 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 400 }), (notes, maxBytes) => {
        const open: string[] = [];
        const markup = page(notes, maxBytes) ?? '';
        expect(markup).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
        const rest = markup.replace(/<(\/?)([a-z0-9]+)((?: [a-z]+="[^"<>]*")*)>/g, (_, slash, name, attributes) => {
          expect(name).toMatch(/^(?:p|h3|ul|ol|li|blockquote|pre|code|strong|em|del|a|br)$/);
          if (name === 'a' && slash === '')
            expect(attributes).toMatch(
              /^ href="(?:https?:\/\/|mailto:)[^"]*" rel="noopener nofollow" target="_blank"$/i,
            );
          else expect(attributes).toMatch(/^(?: dir="(?:auto|ltr)")?(?: start="\d+")?$/);
          if (name === 'br') return '';
          if (slash === '') open.push(name);
          else expect(open.pop()).toBe(name);
          return '';
        });
        expect(rest).not.toMatch(/[<>"']/);
        expect(open).toEqual([]);
      }),
    );
  });

  it('is cut within the limit, outside of tags and addresses', () => {
    expect(page('**abc** def', 40)).toBe('<p dir="auto"><strong>…</strong></p>');
    expect(page('abcdefghijklmnopqrstuvwxyz', 30)).toBe('<p dir="auto">abcdefghij…</p>');
    expect(page('go [there](https://x.example/) now', 60)).toBe('<p dir="auto">go …</p>');
    expect(page('&'.repeat(1000), 620)).toBe(`<p dir="auto">${'&amp;'.repeat(100)}…</p>`);
    expect(page(`a\n${'b'.repeat(11_000)}`)).toMatch(/b<\/p><p>…<\/p>$/);
  });

  it('has its own styles in emails, and no heading', () => {
    expect(mail('# A\n[b](https://x.example)')).toBe(
      '<p dir="auto"><strong>A</strong></p><p dir="auto"><a class="link" href="https://x.example" rel="noopener nofollow" style="color:#0f50cc">b</a></p>',
    );
  });

  it('is null for a note that says nothing', () => {
    expect(page(' \n\n')).toBeNull();
  });
});

describe('plain text of notes', () => {
  it('keeps the structure without marks', () => {
    const notes = `# New\n**Camera** and \`scan\`\nnow\n* one\n  1. in it\n* [two](https://x.example/2)\n\n> said\n\n<a@x.example> <b>`;
    expect(notesToPlainText(notes)).toBe(
      'New\n\nCamera and scan\nnow\n\n• one\n  1. in it\n• two (https://x.example/2)\n\n> said\n\na@x.example <b>',
    );
  });

  it('is cut with an ellipsis, never inside a character', () => {
    expect(notesToPlainText('abcdef', 4)).toBe('abc…');
    expect(notesToPlainText('ab😀def', 4)).toBe('ab…');
    expect(notesToPlainText('a'.repeat(10_001))).toBe(`${'a'.repeat(10_000)}…`);
  });

  it('has a first line', () => {
    expect(firstLineOfNotes('\n\n## **Fixed** things\n- a')).toBe('Fixed things');
    expect(firstLineOfNotes('- a\n- b')).toBe('a');
    expect(firstLineOfNotes('a'.repeat(1000), 10)).toBe('aaaaaaaaa…');
    expect(firstLineOfNotes('  ')).toBeNull();
  });
});

/** Returns how many rules of markdown-it were tried, and how many of its tokens were skipped. */
function countSteps(run: () => void): number {
  let steps = 0;
  const { inline } = new MarkdownIt('zero');
  // All parsers share these methods.
  const ruler = Object.getPrototypeOf(inline.ruler) as typeof inline.ruler;
  const { getRules } = ruler;
  vi.spyOn(ruler, 'getRules').mockImplementation(function (this: typeof ruler, chain: string) {
    return getRules.call(this, chain).map((rule) => (...args) => {
      steps += 1;
      return rule(...args);
    });
  });
  const parser = Object.getPrototypeOf(inline) as typeof inline;
  const { skipToken } = parser;
  vi.spyOn(parser, 'skipToken').mockImplementation(function (this: typeof inline, state) {
    steps += 1;
    skipToken.call(this, state);
  });
  run();
  vi.restoreAllMocks();
  return steps;
}

/** Reads a note often enough to measure it. */
const readOften = (note: string) => () => {
  for (let count = 0; count < 40; count += 1) readNote(note);
};

describe('a hostile note', () => {
  afterEach(() => vi.restoreAllMocks());

  it('takes no longer with punctuation inside of its addresses', async () => {
    const address = `http://a${')'.repeat(1900)}x`;
    expect(readNote(`${address}).`).blocks).toEqual([
      {
        kind: 'paragraph',
        children: [
          { kind: 'link', href: address, children: [{ kind: 'text', text: address }] },
          { kind: 'text', text: ').' },
        ],
      },
    ]);
    const short = 'http://a.b '.repeat(900);
    const long = `${address} `.repeat(5);
    const bound = 3 * (await leastCpu(0, readOften(short)));
    expect(await leastCpu(bound, readOften(long))).toBeLessThan(bound);
  });

  const fill = (part: string) => part.repeat(10_000).slice(0, 10_000);
  const hostile = [
    ...[
      '[',
      '[a](',
      '[a](b ',
      '![',
      ']',
      '`',
      '*',
      '*a ',
      '**a*',
      '_a_ ',
      '*_~`[<&',
      '~~a~~',
      '&',
      '&#x',
      '<',
      '<a',
      '<http:',
      '\\',
    ],
    ...[
      '>',
      '> ',
      '>\n',
      '- ',
      '-\n',
      '- a\n',
      '1. ',
      '>- ',
      '# \n',
      '```\n',
      'a\n\n',
      ' a\n',
      '\t- a\n',
      '\n',
      ' ',
      'https://a.b/).',
      '[a](http://b.c)',
    ],
  ].map(fill);
  hostile.push(
    fill(`${'['.repeat(20)}${'*a '.repeat(60)}`),
    fill(`${'['.repeat(10)}${'\\[ab] '.repeat(8)}`),
    fill(`[${'ab&cd '.repeat(5)}`),
    Array.from({ length: 140 }, (_, length) => '`'.repeat(length)).join('a'),
    Array.from({ length: 140 }, (_, depth) => `${' '.repeat(depth)}- a`)
      .join('\n')
      .slice(0, 10_000),
    `${'*'.repeat(5000)}a${'*'.repeat(4999)}`,
    `${'['.repeat(199)}${fill('a')}`,
    `https://a.b/${fill(')')}`,
    `[a](${fill('(')}`,
    `[a](b "${fill('"')}`,
  );

  it.each(hostile.map((notes) => [`${JSON.stringify(notes.slice(0, 20))} ×`, notes]))(
    'takes few operations and little room: %s',
    (_, notes) => {
      const steps = countSteps(() => readNote(notes));
      expect(steps).toBeLessThan(100_000);
      const tree = readNote(notes);
      let nodes = 0;
      let deepest = 0;
      const visit = (value: unknown, depth: number): void => {
        deepest = Math.max(deepest, depth);
        if (Array.isArray(value)) for (const one of value) visit(one, depth);
        else if (typeof value === 'object' && value !== null) {
          nodes += 1;
          for (const one of Object.values(value)) visit(one, depth + 1);
        }
      };
      visit(tree.blocks, 0);
      expect(nodes).toBeLessThanOrEqual(2_500);
      expect(deepest).toBeLessThanOrEqual(32);
      expect(page(notes, 20_000)?.length ?? 0).toBeLessThan(21_000);
      expect(notesToPlainText(notes, 5_000).length).toBeLessThanOrEqual(5_000);
    },
  );
});
