// The markup template that escapes untrusted values.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Html, type HtmlValue, html, SpecialUrl, scriptTag, specialUrl } from '../../src/lib/html.ts';
import { anyText } from '../support/any-text.ts';

const hostile = fc.oneof(
  anyText({ maxLength: 60 }),
  fc
    .array(
      fc.constantFrom(
        '<',
        '>',
        '"',
        "'",
        '&',
        '=',
        '/',
        ' ',
        '\n',
        '\u0000',
        'script',
        'onload',
        'javascript:',
        '&lt;',
        '-->',
        ']]>',
        'x',
      ),
      { maxLength: 20 },
    )
    .map((parts) => parts.join('')),
);

describe('a value between tags', () => {
  it('is displayed unchanged and never as markup', () => {
    fc.assert(
      fc.property(hostile, (value) => {
        const inside = /^<p>([\s\S]*)<\/p>$/.exec(html`<p>${value}</p>`.toString())?.[1] ?? 'lost';
        expect(inside).not.toMatch(/[<>"']/);
        expect(inside).not.toMatch(/&(?!(?:amp|lt|gt|quot|#39);)/);
      }),
    );
  });

  it.each<[string, HtmlValue, string]>([
    ['markup', '<b onclick="x()">\'&amp;', '&lt;b onclick=&quot;x()&quot;&gt;&#39;&amp;amp;'],
    ['controls', 'a\u0000b\u001b[31mc\td\ne\u009f', 'ab[31mc\td\ne'],
    ['half a surrogate pair', 'a\ud800b', 'a\ufffdb'],
    ['a number', 0, '0'],
    ['nothing', null, ''],
    ['false', false, ''],
    ['finished markup', html`<i>${'<'}</i>`, '<i>&lt;</i>'],
    ['a list of it', [html`<i>1</i>`, html`<i>2</i>`], '<i>1</i><i>2</i>'],
  ])('is escaped: %s', (_, value, expected) => {
    expect(html`${value}`.toString()).toBe(expected);
  });
});

describe('a value in an attribute', () => {
  it('cannot end the attribute', () => {
    fc.assert(
      fc.property(hostile, (value) => {
        const markup = html`<p title="${value}" class="x">.</p>`.toString();
        expect(markup).toMatch(/^<p title="[^"<>]*" class="x">\.<\/p>$/);
      }),
    );
  });

  it('that is an address is limited to http, https and this server', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          '',
          'javascript:',
          ' javascript:',
          'java\tscript:',
          'data:text/html,',
          'itms-services:',
          'intent:',
          '//',
          '/\\',
          'https:',
          'vbscript:',
          '\u0001javascript:',
        ),
        hostile,
        (scheme, rest) => {
          const address = /href="([^"]*)"/.exec(html`<a href="${scheme + rest}">.</a>`.toString())?.[1] ?? 'lost';
          expect(address).toMatch(/^(?:about:invalid$|https?:\/\/[^/]|\/(?![/\\])|\/$|#)/i);
        },
      ),
    );
  });

  it.each([
    ['https://a.example/?x=1&y=2', 'https://a.example/?x=1&amp;y=2'],
    ['http://localhost:8080/install', 'http://localhost:8080/install'],
    ['/public/v1/icons/1', '/public/v1/icons/1'],
    ['#trouble', '#trouble'],
    ['//evil.example', 'about:invalid'],
    ['/\\evil.example', 'about:invalid'],
    ['/\t/evil.example', 'about:invalid'],
    ['JaVaScRiPt:alert(1)', 'about:invalid'],
    ['data:image/svg+xml,<svg/>', 'about:invalid'],
    ['icons/1', 'about:invalid'],
    ['', 'about:invalid'],
    [null, 'about:invalid'],
    [
      specialUrl('itms-services', 'itms-services://?action=download-manifest&url=x'),
      'itms-services://?action=download-manifest&amp;url=x',
    ],
  ])('the address %s becomes %s', (address, expected) => {
    expect(html`<img src="${address}">`.toString()).toBe(`<img src="${expected}">`);
  });
});

describe('markup of a server below a path', () => {
  const page = html`<a href="${'/sign-in?a=1&b=2'}">${html`<img src="${'/icon'}">`}</a>${[
    html`<form action="${'/setup/1'}"></form>`,
  ]}<a href="${'https://b.example/x'}">.</a><a href="${'#top'}">.</a><p title="${'/plain'}">${'/text'}</p>${scriptTag('/app.js')}`;

  it('adds the path to its own addresses only', () => {
    expect(page.withBasePath('/tools/taxiway')).toBe(
      '<a href="/tools/taxiway/sign-in?a=1&amp;b=2"><img src="/tools/taxiway/icon"></a>' +
        '<form action="/tools/taxiway/setup/1"></form><a href="https://b.example/x">.</a><a href="#top">.</a>' +
        '<p title="/plain">/text</p><script src="/tools/taxiway/app.js" defer></script>\n',
    );
    expect(page.withBasePath('')).toBe(page.toString());
    expect(page.toString()).toContain('<a href="/sign-in?a=1&amp;b=2"><img src="/icon"></a>');
  });

  it('rejects invalid paths', () => {
    expect(html`<p title="${'\ufffe/x'}">${'\ufffe'}</p>`.withBasePath('/t')).toBe('<p title="/x"></p>');
    expect(html`<a href="${'\ufffe/x'}">.</a>`.withBasePath('/t')).toBe('<a href="about:invalid">.</a>');
  });
});

describe('an unsafe template', () => {
  it.each([
    ['a value as a tag', () => html`<${'b'}>`],
    ['a value as an attribute', () => html`<p ${'onclick=x'}>.</p>`],
    ['a value without quotes', () => html`<p class=${'x'}>.</p>`],
    ['single quotes', () => html`<p class='${'x'}'>.</p>`],
    ['a script handler', () => html`<p onclick="${'x'}">.</p>`],
    ['a style', () => html`<p style="${'x'}">.</p>`],
    ['a document in an attribute', () => html`<iframe srcdoc="${'x'}"></iframe>`],
    ['a part of an address', () => html`<a href="/x/${'y'}">.</a>`],
    ['an address of its own that is no value', () => html`<a href="/x">.</a>`],
    ['two values in an address', () => html`<a href="${'/x'}${'/y'}">.</a>`],
    ['markup in an attribute', () => html`<p title="${html`<b>.</b>`}">.</p>`],
    ['a script', () => html`<script>${'x'}</script>`],
    ['a style sheet', () => html`<STYLE>${'x'}</STYLE>`],
    ['a comment', () => html`<!-- ${'x'} -->`],
    ['an open tag', () => html`<p class="x`],
    ['another scheme', () => specialUrl('intent', 'javascript:alert(1)')],
    ['markup made elsewhere', () => new Html(Symbol('maker'), '<b>')],
    ['an address made elsewhere', () => new SpecialUrl(Symbol('maker'), 'javascript:')],
  ])('throws: %s', (_, make) => {
    expect(make).toThrow(TypeError);
  });
});
