// What axe is asked to look at finds violations: of colors in one scheme, of structure, on one size of screen, and within some elements.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { closeContexts, openBrowser } from './browser.ts';
import { desktop, phone } from './dashboard/visitor.ts';

const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';

let browser: Browser;
let context: BrowserContext;
let page: Page;
beforeAll(async () => {
  browser = await openBrowser();
  context = await browser.newContext({ viewport: desktop });
  page = await context.newPage();
});
afterAll(() => closeContexts(browser));
beforeEach(async () => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(desktop);
});

function show(body: string, style = '') {
  return page.setContent(`<!doctype html><html lang="en"><head><title>Sample</title>
<meta name="viewport" content="width=device-width"><style>:root { color-scheme: light dark }
body { background: #fff; color: #000 } @media (prefers-color-scheme: dark) { body { background: #111; color: #eee } }
${style}</style></head><body><main><h1>Sample</h1>${body}</main></body></html>`);
}

describe('a page', () => {
  it('without a violation is accepted in each scope', async () => {
    await show('<p>Some words</p><label>Name <input></label>');
    for (const scope of ['everything', 'colors', 'layout'] as const) await expectAccessible(page, scope);
  });

  it('with too little contrast in dark only is rejected in dark only', async () => {
    await show('<p class="faint">Some words</p>', '@media (prefers-color-scheme: dark) { .faint { color: #222 } }');
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect(expectAccessible(page, 'colors')).rejects.toThrow(/color-contrast: .*Some words/s);
    await expectAccessible(page, 'layout');
  });

  it('with a field without a label, on all screens or on phones only, is rejected there', async () => {
    await show('<input>');
    await expect(expectAccessible(page)).rejects.toThrow(/label: .*<input>/s);
    await show('<input>', '@media (min-width: 600px) { input { display: none } }');
    await expectAccessible(page);
    await page.setViewportSize(phone);
    await expect(expectAccessible(page, 'layout')).rejects.toThrow(/label: .*<input>/s);
  });

  it('with buttons too small and too close to hit, on all screens or on phones only, is rejected there', async () => {
    const buttons = '<button>1</button><button>2</button><button>3</button>';
    const small = 'button { all: unset; width: 12px; height: 12px; font-size: 10px }';
    await show(buttons, small);
    await expect(expectAccessible(page)).rejects.toThrow(/target-size: /);
    await show(buttons, `button { width: 44px; height: 44px } @media (max-width: 600px) { ${small} }`);
    await expectAccessible(page);
    await page.setViewportSize(phone);
    await expect(expectAccessible(page, 'layout')).rejects.toThrow(/target-size: /);
  });

  it.each([
    ['a label', '<label>Name <input></label>', '<span>Name</span> <input>', /label: /],
    ['the words of a label', '<label>Name <input></label>', '<label> <input></label>', /label: /],
    [
      'the name of a button',
      '<button aria-label="Close"></button>',
      '<button aria-label=""></button>',
      /button-name: /,
    ],
    ['the text of a picture', `<img alt="A dog" src="${pixel}">`, `<img src="${pixel}">`, /image-alt: /],
    [
      'an element that is referred to',
      '<b id="a">A</b><input aria-labelledby="a">',
      '<b>A</b><input aria-labelledby="a">',
      /label: /,
    ],
    [
      'a label elsewhere on it',
      '<label for="a">Name</label><p>Words</p><input id="a">',
      '<b>Name</b><p>Words</p><input id="a">',
      /label: /,
    ],
    ['a heading between others', '<h2>One</h2><h3>Two</h3>', '<h3>Two</h3>', /heading-order: /],
    [
      'different names of landmarks',
      '<nav aria-label="Pages">Words</nav>',
      '<nav aria-label="Pages">Words</nav><nav aria-label="Pages">Words</nav>',
      /landmark-unique: /,
    ],
    ['the list around an item', '<ul><li>One</li></ul>', '<div><li>One</li></div>', /listitem: /],
    ['the usual order of the keyboard', '<p tabindex="0">Words</p>', '<p tabindex="1">Words</p>', /tabindex: /],
    [
      'room between small buttons',
      '<button style="all:unset;width:16px;margin:9px">1</button><button style="all:unset;width:16px;margin:9px">2</button>',
      '<button style="all:unset;width:16px;margin:0">1</button><button style="all:unset;width:16px;margin:0">2</button>',
      /target-size: /,
    ],
    [
      'a place of its own for each button',
      '<button style="width:60px;height:30px">1</button><button style="width:60px;height:30px">2</button>',
      '<button style="width:60px;height:30px">1</button><button style="width:60px;height:30px;margin-left:-50px">2</button>',
      /target-size: /,
    ],
    ['a role', '<ul><li>One</li></ul>', '<ul><li role="tab">One</li></ul>', /list: |aria-/],
    ['contrast', '<p style="color:#333">Words</p>', '<p style="color:#ccc">Words</p>', /color-contrast: /],
    [
      'the background',
      '<p style="background:#fff">Words</p>',
      '<p style="background:#222">Words</p>',
      /color-contrast: /,
    ],
    [
      'contrast of a smaller text',
      '<p style="color:#888;font-size:30px">Words</p>',
      '<p style="color:#888">Words</p>',
      /color-contrast: /,
    ],
  ])('that lacks %s is rejected after the page that has it was accepted', async (_lacking, right, wrong, violation) => {
    await show(right);
    await expectAccessible(page);
    await show(wrong);
    await expect(expectAccessible(page)).rejects.toThrow(violation);
    await show(right);
    await expectAccessible(page);
  });
});
