// The script of the documentation: search, copy buttons, and the current heading in the table of contents.
import { create } from './elements.ts';
import { createSearch, type Found, type SearchEntry } from './search.ts';

declare global {
  // The index sets it when it has loaded.
  var docsIndex: SearchEntry[] | undefined;
}

const MOST_RESULTS = 12;
const COPIED_MS = 2_000;

const own = document.currentScript as HTMLScriptElement;
const root = own.dataset.root ?? '';

/** Loads the index as a script, which also works without a web server. */
function loadIndex(): Promise<SearchEntry[]> {
  return new Promise((resolve, reject) => {
    const script = create('script', { src: own.dataset.index ?? '' });
    script.addEventListener('load', () => resolve(globalThis.docsIndex ?? []));
    script.addEventListener('error', () => reject(new Error('The search index is missing')));
    document.head.append(script);
  });
}

function renderResult({ link, title, heading, excerpt }: Found, id: string): HTMLElement {
  const text = excerpt.map((part, at) => (at % 2 === 1 ? create('mark', {}, part) : part));
  return create(
    'li',
    { id, role: 'option', 'aria-selected': 'false', 'data-link': root + link },
    create('b', { class: 'result-title' }, heading === '' ? title : `${title} › ${heading}`),
    create('span', { class: 'excerpt' }, ...text),
  );
}

function setUpSearch(form: HTMLFormElement): void {
  const input = form.querySelector('input');
  if (input === null) return;
  const list = create('ul', { id: 'results', role: 'listbox', 'aria-label': 'Search results', hidden: '' });
  const status = create('p', { class: 'hidden', role: 'status' });
  form.append(list, status);
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-controls': 'results',
    'aria-expanded': 'false',
    'aria-autocomplete': 'list',
  }))
    input.setAttribute(name, value);

  let search: Promise<ReturnType<typeof createSearch>> | undefined;
  let selected = -1;
  const options = () => [...list.children] as HTMLElement[];

  function close(): void {
    list.hidden = true;
    selected = -1;
    input?.setAttribute('aria-expanded', 'false');
    input?.removeAttribute('aria-activedescendant');
  }

  function select(index: number): void {
    const all = options();
    if (all.length === 0) return;
    selected = (index + all.length) % all.length;
    for (const [at, option] of all.entries()) option.setAttribute('aria-selected', String(at === selected));
    all[selected]?.scrollIntoView({ block: 'nearest' });
    input?.setAttribute('aria-activedescendant', all[selected]?.id ?? '');
  }

  async function show(): Promise<void> {
    search ??= loadIndex().then(createSearch);
    const query = input?.value ?? '';
    const find = await search;
    if (query !== input?.value) return;
    const found = find(query, MOST_RESULTS);
    list.replaceChildren(...found.map((one, at) => renderResult(one, `result-${at}`)));
    const isEmpty = query.trim() === '';
    status.textContent = isEmpty ? '' : found.length === 0 ? 'No results' : `${found.length} results`;
    form.classList.toggle('nothing', !isEmpty && found.length === 0);
    if (found.length === 0) return close();
    list.hidden = false;
    input?.setAttribute('aria-expanded', 'true');
    select(0);
  }

  function open(option: HTMLElement | undefined): void {
    const link = option?.dataset.link;
    if (link === undefined) return;
    close();
    location.assign(link);
  }

  input.addEventListener('input', () => void show());
  input.addEventListener('focus', () => {
    if (input.value.trim() === '') search ??= loadIndex().then(createSearch);
    else void show();
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      if (list.hidden) input.blur();
      else close();
      event.preventDefault();
    } else if (!list.hidden && event.key === 'ArrowDown') {
      select(selected + 1);
      event.preventDefault();
    } else if (!list.hidden && event.key === 'ArrowUp') {
      select(selected - 1);
      event.preventDefault();
    }
  });
  form.addEventListener('submit', (event) => {
    if (list.hidden) return;
    event.preventDefault();
    open(options()[selected]);
  });
  // Before the input loses the focus.
  list.addEventListener('mousedown', (event) => event.preventDefault());
  list.addEventListener('click', (event) =>
    open((event.target as Element).closest<HTMLElement>('[role=option]') ?? undefined),
  );
  input.addEventListener('blur', close);
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    const isShortcut = (event.key === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !isTyping);
    if (!isShortcut) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  // A search that was submitted before this script ran.
  const asked = new URLSearchParams(location.search).get('q');
  if (asked !== null) {
    input.value = asked;
    input.focus();
  }
}

function addCopyButton(block: HTMLElement): void {
  const code = block.querySelector('code');
  if (code === null || !('clipboard' in navigator)) return;
  const button = create('button', { type: 'button', class: 'copy' }, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(code.textContent ?? '');
      button.textContent = 'Copied';
    } catch {
      // Without permission, the text is selected for the keyboard.
      getSelection()?.selectAllChildren(code);
      button.textContent = 'Selected';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, COPIED_MS);
  });
  block.append(button);
}

/** Marks the link of the heading that was scrolled past last. */
function followHeadings(toc: HTMLElement): void {
  const links = [...toc.querySelectorAll('a')];
  const headings = links.flatMap((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))) ?? []);
  const visible = new IntersectionObserver(
    () => {
      const above = headings.filter((heading) => heading.getBoundingClientRect().top < innerHeight / 4);
      const current = (above.at(-1) ?? headings[0])?.id;
      for (const link of links) {
        if (decodeURIComponent(link.hash.slice(1)) === current) link.setAttribute('aria-current', 'location');
        else link.removeAttribute('aria-current');
      }
    },
    { rootMargin: '0px 0px -75% 0px', threshold: [0, 1] },
  );
  for (const heading of headings) visible.observe(heading);
}

const form = document.querySelector<HTMLFormElement>('form.search');
if (form !== null) setUpSearch(form);
for (const block of document.querySelectorAll<HTMLElement>('.code')) addCopyButton(block);
const toc = document.querySelector<HTMLElement>('.toc');
if (toc !== null) followHeadings(toc);
document.querySelector('.navigation [aria-current]')?.scrollIntoView({ block: 'nearest' });
