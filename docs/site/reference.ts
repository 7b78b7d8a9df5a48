// The script of the API reference: the reader's own server in samples, the language of samples, links to operations from elsewhere, and
// requests with the session of the reader.
import { createClient } from '../../src/dashboard/api/client.ts';
import { ApiError } from '../../src/dashboard/api/errors.ts';
import { createSessionMemory } from '../../src/dashboard/api/session.ts';
import { createTabLock } from '../../src/dashboard/api/tab-lock.ts';
import { create } from './elements.ts';
import { hideSecrets } from './secrets.ts';

const EXAMPLE_SERVER = 'https://builds.example.com';
const EXAMPLE_HOST = new URL(EXAMPLE_SERVER).hostname;
const SERVER_KEY = 'taxiway.docs.server';
const LANGUAGE_KEY = 'taxiway.docs.language';
const VALUES_KEY = 'taxiway.docs.values';
const MOST_SHOWN = 200_000;

const own = document.currentScript as HTMLScriptElement;
/** The address of the server that these pages come from, with its path; undefined for pages on another web server. */
const ownServer =
  own.dataset.server === undefined
    ? undefined
    : new URL(`${own.dataset.root ?? ''}..`, location.href).href.replace(/\/$/, '');

/** Storage that may be blocked: then nothing is remembered. */
function read(storage: () => Storage, key: string): string | undefined {
  try {
    return storage().getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

function write(storage: () => Storage, key: string, value: string): void {
  try {
    storage().setItem(key, value);
  } catch {
    // Only the convenience is lost.
  }
}

/** Puts the address of a server into all samples and responses. */
function createServerFiller(): (server: string) => void {
  const codes = [...document.querySelectorAll<HTMLElement>('.samples code, .response code')]
    .map((code) => ({ code, text: code.textContent ?? '' }))
    .filter(({ text }) => text.includes(EXAMPLE_HOST));
  return (server) => {
    const { hostname } = new URL(server);
    for (const { code, text } of codes) {
      code.textContent = text.replaceAll(EXAMPLE_SERVER, server).replaceAll(EXAMPLE_HOST, hostname);
    }
  };
}

/** Asks for the address of the reader's server, on pages that no server delivers. */
function askForServer(fill: (server: string) => void): void {
  const before = document.querySelector('main .operations');
  if (before === null) return;
  const known = read(() => localStorage, SERVER_KEY);
  const input = create('input', { type: 'url', id: 'server', placeholder: EXAMPLE_SERVER, value: known ?? '' });
  input.addEventListener('input', () => {
    const server = input.value.trim().replace(/\/+$/, '');
    const isAddress = /^https?:\/\/[^\s'"\\]+$/.test(server);
    if (server !== '' && !isAddress) return;
    write(() => localStorage, SERVER_KEY, server);
    fill(server === '' ? EXAMPLE_SERVER : server);
  });
  before.before(create('p', { class: 'field' }, create('label', { for: 'server' }, 'Your server'), input));
  if (known) fill(known);
}

function setUpLanguages(): void {
  const root = document.documentElement;
  const buttons: HTMLButtonElement[] = [];
  const choose = (language: string) => {
    root.dataset.sample = language;
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.value === language));
  };
  for (const section of document.querySelectorAll('.samples')) {
    const group = create('div', { class: 'languages', role: 'group', 'aria-label': 'Language of the samples' });
    for (const sample of section.querySelectorAll<HTMLElement>('.sample')) {
      const name = sample.querySelector('.sample-name')?.textContent ?? '';
      const button = create('button', { type: 'button', value: sample.dataset.sample ?? '' }, name);
      button.addEventListener('click', () => {
        // The text above may change its height: the button stays where it is.
        const before = button.getBoundingClientRect().top;
        choose(button.value);
        scrollBy({ top: button.getBoundingClientRect().top - before, behavior: 'instant' });
        write(() => localStorage, LANGUAGE_KEY, button.value);
      });
      buttons.push(button);
      group.append(button);
    }
    section.prepend(group);
  }
  const known = read(() => localStorage, LANGUAGE_KEY);
  choose(buttons.some(({ value }) => value === known) ? (known ?? 'sh') : 'sh');
}

/** Opens the operation of an address like /api/docs#createProject, which leads to the list of all operations. */
function followOperation(): void {
  const id = decodeURIComponent(location.hash.slice(1));
  const entry = id === '' ? null : document.getElementById(id);
  const link = entry?.matches('.operations > li') ? entry.querySelector('a') : null;
  if (link !== null && link !== undefined) location.replace(link.href);
}

interface TryRequest {
  method: string;
  path: string;
  parameters: [name: string, place: 'path' | 'query', isRequired: boolean][];
  body?: unknown;
}

interface Reader {
  name: string;
  /** Known values of parameters. */
  values: Record<string, string>;
}

function createReader(server: string): () => Promise<Reader | undefined> {
  const base = new URL(server).pathname.replace(/\/$/, '');
  // Servers with a path remember their sessions by it.
  if (base !== '') document.head.append(create('meta', { name: 'taxiway-base', content: base }));
  const client = createClient({
    base,
    fetch: (address, init) => fetch(address, init),
    session: createSessionMemory(() => localStorage),
    exclusive: createTabLock(navigator.locks, {
      memory: localStorage,
      now: () => Date.now(),
      pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
      name: () => String(Math.random()),
    }),
    now: () => Date.now(),
    onReached: () => undefined,
    onSessionEnd: () => undefined,
  });
  return async () => {
    try {
      // This also renews the session, if necessary.
      const account = await client.send<{ identifier: string; email: string }>('GET', '/developers/me');
      const [organization] = await client.send<{ identifier: string }[]>('GET', '/organizations');
      return {
        name: account.email,
        values: { developer_id: account.identifier, ...(organization && { organization_id: organization.identifier }) },
      };
    } catch (error) {
      if (error instanceof ApiError && [401, 403].includes(error.status)) return undefined;
      throw error;
    }
  };
}

function rememberedValues(): Record<string, string> {
  try {
    return JSON.parse(read(() => sessionStorage, VALUES_KEY) ?? '{}');
  } catch {
    return {};
  }
}

let fields = 0;

function field(name: string, control: HTMLInputElement | HTMLTextAreaElement, note: string): HTMLElement {
  fields += 1;
  control.id = `try-${fields}`;
  const label = create('label', { for: control.id }, create('code', {}, name), note === '' ? '' : ` ${note}`);
  return create('p', { class: 'field' }, label, control);
}

function fillTry(
  panel: HTMLElement,
  request: TryRequest,
  server: string,
  findReader: () => Promise<Reader | undefined>,
) {
  const { host } = new URL(server);
  const who = create('p', { class: 'who' }, 'Looking for your session …');
  const remembered = rememberedValues();
  const inputs = request.parameters.map(([name, place, isRequired]) => {
    const input = create('input', { type: 'text', autocomplete: 'off', spellcheck: 'false' });
    input.required = isRequired;
    input.value = remembered[name] ?? '';
    return { name, place, input, element: field(name, input, isRequired ? 'required' : '') };
  });
  const body =
    'body' in request ? create('textarea', { rows: '8', spellcheck: 'false', autocomplete: 'off' }) : undefined;
  if (body !== undefined) body.value = JSON.stringify(request.body, null, 2);
  const consent = create('input', { type: 'checkbox', required: '' });
  const isWrite = request.method !== 'GET';
  const status = create('p', { class: 'result', role: 'status' });
  const output = create('div', { class: 'output' });
  const form = create(
    'form',
    { class: 'try-form' },
    who,
    ...inputs.map(({ element }) => element),
    ...(body === undefined ? [] : [field('body', body, 'JSON')]),
    ...(isWrite ? [create('label', { class: 'consent' }, consent, ` This really changes data on ${host}`)] : []),
    create('button', { type: 'submit', class: 'send' }, isWrite ? 'Send and change data' : 'Send'),
  );
  panel.append(form, status, output);

  void findReader().then(
    (reader) => {
      who.textContent = reader === undefined ? '' : `The request is sent to ${host} as ${reader.name}.`;
      if (reader === undefined) {
        who.append("You aren't signed in. ", create('a', { href: `${server}/login` }, 'Sign in'), ', then come back.');
      }
      for (const { name, input } of inputs) {
        if (input.value === '') input.value = reader?.values[name] ?? '';
      }
    },
    () => {
      who.textContent = "The server doesn't respond.";
    },
  );

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });

  async function send(): Promise<void> {
    const url = new URL(
      server +
        request.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
          encodeURIComponent(inputs.find((one) => one.name === name)?.input.value.trim() ?? ''),
        ),
    );
    const values = rememberedValues();
    for (const { name, place, input } of inputs) {
      const value = input.value.trim();
      if (value === '') continue;
      if (place === 'query') url.searchParams.set(name, value);
      if (name.endsWith('_id')) values[name] = value;
    }
    write(() => sessionStorage, VALUES_KEY, JSON.stringify(values));
    if (body !== undefined && !isJson(body.value)) {
      status.textContent = "The body isn't JSON.";
      body.focus();
      return;
    }
    status.textContent = 'Sending …';
    output.replaceChildren();
    try {
      await findReader();
      const startedAt = performance.now();
      const response = await fetch(url, {
        method: request.method,
        credentials: 'same-origin',
        redirect: 'manual',
        headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: body.value }),
      });
      const text = await response.text();
      const { shown, isHidden } = hideSecrets(text);
      status.textContent = `${response.status} ${response.statusText} after ${Math.round(performance.now() - startedAt)} ms`;
      if (isHidden) status.append('. Secrets in the response are hidden here.');
      if (shown !== '') {
        const code = create('code', {}, shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN)} …` : shown);
        output.append(create('pre', { tabindex: '0', 'aria-label': 'Response' }, code));
      }
    } catch {
      status.textContent = "The server doesn't respond.";
    }
    // A second change needs a second yes.
    consent.checked = false;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function setUpTry(server: string): void {
  const findReader = createReader(server);
  for (const section of document.querySelectorAll<HTMLElement>('.try')) {
    const details = create('details', {}, create('summary', {}, 'Try it'));
    let isFilled = false;
    details.addEventListener('toggle', () => {
      if (!details.open || isFilled) return;
      isFilled = true;
      details.setAttribute('aria-label', section.dataset.title ?? '');
      fillTry(details, JSON.parse(section.dataset.request ?? ''), server, findReader);
    });
    section.append(details);
    section.hidden = false;
  }
}

followOperation();
const fill = createServerFiller();
setUpLanguages();
if (ownServer === undefined) askForServer(fill);
else {
  fill(ownServer);
  setUpTry(ownServer);
}
// What was added above moved the operation that the address names.
if (location.hash !== '') document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
