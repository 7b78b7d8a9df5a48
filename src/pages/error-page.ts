// A refusal as a page: whoever opens an address in a browser reads what is wrong and what to do. Programs get the envelope.

import type { RequestFacts } from '../core/actor.ts';
import type { App } from '../core/context.ts';
import type { RefusalPage } from '../http/handler.ts';
import { isJsonShape, type Returns } from '../http/operation.ts';
import type { Reply } from '../http/reply.ts';
import { chooseLanguage, type Language } from '../languages.ts';
import { html } from '../lib/html.ts';
import { framedPage } from './frame.ts';

interface Words {
  title: string;
  text: string;
}

interface Texts {
  statuses: Record<number, Words>;
  /** Of the server's own faults. */
  broken: Words;
  /** Of anything else. */
  refused: Words;
  wait(seconds: number): string;
  requestId: string;
  home: string;
}

const texts: Record<Language, Texts> = {
  en: {
    statuses: {
      401: { title: 'Sign in first', text: 'What is here is shown to people who are signed in.' },
      402: { title: 'Not available at the moment', text: 'Ask whoever sent you here: only they can change that.' },
      403: { title: 'This is not open to you', text: 'Ask whoever sent you here. An old link may have ended.' },
      404: {
        title: 'There is nothing here',
        text: 'The address may be mistyped, or what was here is gone. Links end too: ask whoever sent you yours for a new one.',
      },
      405: { title: 'This cannot be opened', text: 'The address is one for programs.' },
      413: { title: 'That is too large', text: 'The server takes less than what was sent.' },
      429: { title: 'Too many requests', text: 'The server was asked too often from here.' },
      503: { title: 'A part of the server does not answer', text: 'That mostly passes. Try again in a moment.' },
    },
    broken: {
      title: 'Something went wrong on the server',
      text: 'Try again in a moment. If it stays so, tell whoever runs the server: the request id leads them to the reason.',
    },
    refused: { title: 'That is not possible', text: 'The server cannot do what this address asks for.' },
    wait: (seconds) =>
      seconds < 90 ? `Try again in ${seconds} seconds.` : `Try again in ${Math.ceil(seconds / 60)} minutes.`,
    requestId: 'Request id',
    home: 'To the start page',
  },
  de: {
    statuses: {
      401: { title: 'Erst anmelden', text: 'Was hier steht, sehen nur Angemeldete.' },
      402: { title: 'Im Moment nicht zu haben', text: 'Das kann nur ändern, wer den Link geschickt hat.' },
      403: { title: 'Hier ist kein Zutritt', text: 'Wer den Link geschickt hat, kann helfen. Alte Links enden.' },
      404: {
        title: 'Hier ist nichts',
        text: 'Vielleicht ist die Adresse vertippt, oder es wurde entfernt. Auch Links enden: Wer den Link geschickt hat, kann einen neuen geben.',
      },
      405: { title: 'Das lässt sich nicht öffnen', text: 'Die Adresse ist für Programme.' },
      413: { title: 'Das ist zu groß', text: 'So viel nimmt der Server nicht an.' },
      429: { title: 'Zu viele Anfragen', text: 'Von hier wurde der Server zu oft gefragt.' },
      503: {
        title: 'Ein Teil des Servers antwortet nicht',
        text: 'Das geht meist vorbei. Bitte gleich noch einmal versuchen.',
      },
    },
    broken: {
      title: 'Auf dem Server ist etwas schiefgegangen',
      text: 'Bitte gleich noch einmal versuchen. Bleibt es so, hilft dem Betreiber des Servers die Anfrage-ID.',
    },
    refused: { title: 'Das geht nicht', text: 'Was diese Adresse verlangt, kann der Server nicht tun.' },
    wait: (seconds) =>
      seconds < 90
        ? `In ${seconds} Sekunden noch einmal versuchen.`
        : `In ${Math.ceil(seconds / 60)} Minuten noch einmal versuchen.`,
    requestId: 'Anfrage-ID',
    home: 'Zur Startseite',
  },
};

/** Addresses that programs alone come to: the API, and the bytes of the storage under its own rules. */
const PROGRAM_PATH = /^\/(?:api\/v\d+|sdk)(?:\/|$)/;

/** Whether people come to an address by browser: pages and downloads of the public API, and whatever else answers no JSON. */
function isForPeople(path: string, returns: Returns | undefined): boolean {
  if (PROGRAM_PATH.test(path)) return false;
  if (path.startsWith('/public/')) return returns !== undefined && isPageOrDownload(returns);
  return returns === undefined || !isJsonShape(returns);
}

function isPageOrDownload(returns: Returns): boolean {
  if (!('kind' in returns)) return false;
  return returns.kind === 'redirect' || (returns.kind === 'media' && returns.type === 'text/html');
}

/** Whether a browser opens an address, which alone asks for text/html. */
export function isNavigation({ header }: Pick<RequestFacts, 'header'>): boolean {
  return (header('accept') ?? '').toLowerCase().includes('text/html');
}

/**
 * How refusals look to people at an address, by what its operation returns (undefined where there is none). Nothing for
 * addresses of programs.
 */
export function createRefusalPages(app: App): (path: string, returns?: Returns) => RefusalPage | undefined {
  const show: RefusalPage = (facts, { status, headers }) =>
    isNavigation(facts) ? refusalPage(app, facts, status, headers['retry-after']) : undefined;
  return (path, returns) => (isForPeople(path, returns) ? show : undefined);
}

/** The page of a status, in the reader's language; `retryAfter` is the value of that header. */
export function refusalPage(
  { config }: Pick<App, 'config'>,
  { id, acceptLanguage }: Pick<RequestFacts, 'id' | 'acceptLanguage'>,
  status: number,
  retryAfter?: string,
): Reply {
  const language = chooseLanguage(acceptLanguage);
  const t = texts[language];
  const { title, text } = t.statuses[status] ?? (status >= 500 ? t.broken : t.refused);
  const seconds = Number(retryAfter ?? Number.NaN);
  const home = status === 401 ? `${config.server.base_url}/sign-in` : `${config.server.base_url}/`;
  const main = html`<main class="alone"><section class="card"><h1>${title}</h1>
<p>${text}${seconds > 0 ? ` ${t.wait(seconds)}` : ''}</p>
<p><a class="button second" href="${home}">${t.home}</a></p>
${status === 404 ? null : html`<p class="hint">${t.requestId}: <code>${id}</code></p>`}</section></main>`;
  const page = framedPage(title, main, status, { language });
  return { ...page, headers: { ...page.headers, 'cache-control': 'no-store', vary: 'Accept, Accept-Language' } };
}
