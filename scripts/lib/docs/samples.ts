// Samples of a request in curl, JavaScript and Python, made from its example.
import { type Entry, fieldsOf, type Schema } from './openapi-document.ts';

export interface Sample {
  /** The name that readers choose it by. */
  name: string;
  /** The language of its code. */
  language: 'sh' | 'js' | 'python';
  code: string;
}

/** A part of a form: a file, or else a text. */
interface Part {
  name: string;
  isFile: boolean;
}

/** A request without a language: what all samples of an operation send. */
interface Request {
  method: string;
  /** The address without the query. */
  url: string;
  query: [string, string][];
  credential: 'none' | 'bearer' | 'app' | 'install';
  body?: { type: string; value?: unknown; parts: Part[] };
  /** Whether the response is JSON, text, another file, or none. */
  returns: 'json' | 'text' | 'file' | 'none';
}

const TEXT = 'Text';
const MULTIPART = 'multipart/form-data';
const FORM = 'application/x-www-form-urlencoded';

/** Returns the samples of an operation. Its parameters and body have the values of its example. */
export function samplesOf(server: string, entry: Entry): Sample[] {
  const request = toRequest(server, entry);
  return [
    { name: 'curl', language: 'sh', code: writeCurl(request) },
    { name: 'JavaScript', language: 'js', code: writeJavaScript(request) },
    { name: 'Python', language: 'python', code: writePython(request) },
  ];
}

function toRequest(server: string, { path, method, operation }: Entry): Request {
  const exampleOf = (name: string) =>
    operation.parameters.find((one) => one.name === name && one.in === 'path')?.example;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = exampleOf(name);
    return value === undefined ? name.toUpperCase() : encodeURIComponent(String(value));
  });
  const query = operation.parameters
    .filter((one) => one.in === 'query' && one.example !== undefined)
    .map(({ name, example }): [string, string] => [name, String(example)]);
  const [[type = '', content] = []] = Object.entries(operation.requestBody?.content ?? {});
  const hasBody = type !== '' && (operation.requestBody?.required === true || content?.example !== undefined);
  const schemes = operation.security.flatMap((scheme) => Object.keys(scheme));
  return {
    method: method.toUpperCase(),
    url: server + filled,
    query,
    credential: schemes.includes('access_token')
      ? 'bearer'
      : schemes.includes('sdk_update_token')
        ? 'install'
        : schemes.includes('sdk_app_key')
          ? 'app'
          : 'none',
    ...(hasBody ? { body: { type, value: content?.example ?? {}, parts: partsOf(content?.schema ?? {}) } } : {}),
    returns: returnsOf(operation.responses),
  };
}

/** Returns the files of a form, and the texts that it requires. */
function partsOf(schema: Schema): Part[] {
  return fieldsOf(schema)
    .map(({ name, required, schema: part }) => {
      const isFile = (part.items ?? part).contentMediaType !== undefined;
      return { name, isFile, isShown: isFile || required === true };
    })
    .filter(({ isShown }) => isShown);
}

function returnsOf(responses: Entry['operation']['responses']): Request['returns'] {
  const success = Object.entries(responses).find(([status]) => status < '400');
  const types = Object.keys(success?.[1].content ?? {});
  if (types.length === 0) return 'none';
  if (types.includes('application/json')) return 'json';
  return types.some((type) => type.startsWith('text/') || type.includes('xml')) ? 'text' : 'file';
}

function withQuery({ url, query }: Request): string {
  return query.length === 0 ? url : `${url}?${new URLSearchParams(query)}`;
}

/** Quotes text for a shell. */
function quoteShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function writeCurl(request: Request): string {
  const { method, credential, body, returns } = request;
  const words = ['curl -sS --fail-with-body'];
  if (returns === 'none' && method === 'GET') words[0] += ' -i';
  if (returns === 'file') words[0] += ' --output file';
  if (method !== 'GET') words[0] += ` -X ${method}`;
  words[0] += ` ${quoteShell(withQuery(request))}`;
  if (credential === 'bearer') words.push('-H "Authorization: Bearer $TOKEN"');
  if (credential === 'app' || credential === 'install') words.push('-H "X-Svc-App-Key: $APP_KEY"');
  if (credential === 'install') words.push('-H "Authorization: Bearer $UPDATE_TOKEN"');
  if (body?.type === MULTIPART)
    words.push(...body.parts.map(({ name, isFile }) => `-F ${name}=${isFile ? '@file' : TEXT}`));
  else if (body?.type === 'application/json') {
    words.push("-H 'Content-Type: application/json'", `-d ${quoteShell(JSON.stringify(body.value))}`);
  } else if (body?.type === FORM) {
    for (const [name, value] of formOf(body.value)) words.push(`--data-urlencode ${quoteShell(`${name}=${value}`)}`);
  } else if (body !== undefined) words.push(`-H 'Content-Type: ${body.type}'`, '--data-binary @file');
  return words.join(' \\\n  ');
}

function formOf(value: unknown): [string, string][] {
  return Object.entries((value ?? {}) as Record<string, unknown>).map(([name, one]) => [name, String(one)]);
}

function writeJavaScript(request: Request): string {
  const { method, credential, body, returns } = request;
  const headers: string[] = [];
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it's the code of a sample
  if (credential === 'bearer') headers.push('authorization: `Bearer ${token}`');
  if (credential === 'app' || credential === 'install') headers.push("'x-svc-app-key': appKey");
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it's the code of a sample
  if (credential === 'install') headers.push('authorization: `Bearer ${updateToken}`');
  const before: string[] = [];
  const options: string[] = [];
  if (method !== 'GET') options.push(`method: '${method}'`);
  let sent: string | undefined;
  if (body?.type === MULTIPART) {
    const values = body.parts.map(({ name, isFile }) => `form.set('${name}', ${isFile ? 'file' : `'${TEXT}'`});`);
    before.push('const form = new FormData();', ...values);
    sent = 'form';
  } else if (body?.type === 'application/json') {
    headers.push("'content-type': 'application/json'");
    sent = `JSON.stringify(${indent(JSON.stringify(body.value, null, 2))})`;
  } else if (body?.type === FORM) sent = `new URLSearchParams(${indent(JSON.stringify(body.value, null, 2))})`;
  else if (body !== undefined) {
    headers.push(`'content-type': '${body.type}'`);
    sent = 'file';
  }
  if (headers.length > 0) options.push(`headers: { ${headers.join(', ')} }`);
  if (sent !== undefined) options.push(`body: ${sent}`);
  const address = `'${withQuery(request).replaceAll("'", '%27')}'`;
  const call =
    options.length === 0
      ? `fetch(${address})`
      : `fetch(${address}, {\n${options.map((one) => `  ${one},\n`).join('')}})`;
  const read = { json: 'await response.json()', text: 'await response.text()', file: 'await response.blob()' };
  return [
    ...before,
    `const response = await ${call};`,
    'if (!response.ok) throw new Error(await response.text());',
    ...(returns === 'none' ? [] : [`const result = ${read[returns]};`]),
  ].join('\n');
}

function indent(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

function writePython(request: Request): string {
  const { method, url, query, credential, body, returns } = request;
  const headers: [string, string][] = [];
  if (credential === 'bearer') headers.push(['Authorization', 'f"Bearer {token}"']);
  if (credential === 'app' || credential === 'install') headers.push(['X-Svc-App-Key', 'app_key']);
  if (credential === 'install') headers.push(['Authorization', 'f"Bearer {update_token}"']);
  const options: string[] = [JSON.stringify(url)];
  if (query.length > 0) options.push(`params=${toPython(Object.fromEntries(query), 1)}`);
  if (body?.type === MULTIPART) {
    const [files, texts] = [true, false].map((isFile) => body.parts.filter((part) => part.isFile === isFile));
    const toDict = (parts: Part[] = [], value: string) =>
      `{${parts.map(({ name }) => `"${name}": ${value}`).join(', ')}}`;
    if (texts !== undefined && texts.length > 0) options.push(`data=${toDict(texts, `"${TEXT}"`)}`);
    options.push(`files=${toDict(files, 'open("file", "rb")')}`);
  } else if (body?.type === 'application/json') options.push(`json=${toPython(body.value, 1)}`);
  else if (body?.type === FORM) options.push(`data=${toPython(body.value, 1)}`);
  else if (body !== undefined) {
    headers.push(['Content-Type', JSON.stringify(body.type)]);
    options.push('data=open("file", "rb")');
  }
  if (headers.length > 0) {
    options.push(`headers={${headers.map(([name, value]) => `"${name}": ${value}`).join(', ')}}`);
  }
  options.push('timeout=30');
  const read = { json: 'response.json()', text: 'response.text', file: 'response.content' };
  return [
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(\n${options.map((one) => `    ${one},\n`).join('')})`,
    'response.raise_for_status()',
    ...(returns === 'none' ? [] : [`result = ${read[returns]}`]),
  ].join('\n');
}

/** Returns a JSON value as an expression of Python, indented by levels of four spaces. */
function toPython(value: unknown, level: number): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((one) => toPython(one, level + 1))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${toPython(one, level + 1)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return `${open}${close}`;
  const pad = '    '.repeat(level);
  return `${open}\n${parts.map((part) => `${pad}    ${part},\n`).join('')}${pad}${close}`;
}
