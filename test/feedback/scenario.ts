// Sends feedback as apps and as browsers do.
import type { Fixture } from '../../src/testing/fixture.ts';
import type { SdkScenario } from '../sdk/scenario.ts';
import { type Answer, api, type Json } from '../support/harness.ts';
import type { Person } from '../support/people.ts';

export interface Sent {
  text?: string;
  pictures?: readonly Buffer[];
  [field: string]: string | readonly Buffer[] | undefined;
}

function formOf({ pictures = [], ...fields }: Sent): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (typeof value === 'string') form.set(name, value);
  // A browser sends an empty file for a field without one.
  if (pictures.length === 0) form.append('pictures', new Blob([]), '');
  for (const [index, bytes] of pictures.entries()) {
    form.append('pictures', new Blob([new Uint8Array(bytes)]), `picture-${index}`);
  }
  return form;
}

/** Sends from an app, with the token of an install. */
export function sendFromApp(sdk: SdkScenario, fixture: Fixture, token: string, sent: Sent): Promise<Answer<Json>> {
  return api(fixture, token).send('POST', '/sdk/v1/feedback', {
    headers: { 'x-svc-app-key': sdk.app.app_key },
    rawBody: formOf(sent),
  } as object);
}

const PHONE =
  'Mozilla/5.0 (Linux; Android 14; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';

export interface Shown {
  status: number;
  title: string | undefined;
  html: string;
}

/** Opens a page in the browser of a person, or of nobody. With `sent` the form of the page is sent. */
export async function browse(fixture: Fixture, path: string, person?: Person, sent?: Sent): Promise<Shown> {
  const cookie = person === undefined ? {} : { cookie: `svc_access=${person.accessToken}` };
  const response = await fetch(fixture.url + path, {
    redirect: 'manual',
    headers: { accept: 'text/html', 'user-agent': PHONE, 'sec-fetch-site': 'same-origin', ...cookie },
    ...(sent === undefined ? {} : { method: 'POST', body: formOf(sent) }),
  });
  const html = await response.text();
  return { status: response.status, title: /<h1[^>]*>(?:<bdi>)?([^<]*)/.exec(html)?.[1], html };
}
