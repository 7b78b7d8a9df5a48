// The API reference of the documentation: a page for each family of operations, generated from the OpenAPI document.
import { buildOpenApi } from '../../../src/http/openapi.ts';
import { EXAMPLE_SERVER, readExamples } from '../../../src/http/openapi-examples.ts';
import { operations } from '../../../src/operations.ts';
import { type Heading, type Rendered, renderCode, renderHeading, wrapTable } from './markdown.ts';
import { anchorOf, escapeHtml, relativeLink } from './markup.ts';
import {
  describeSecurity,
  type Entry,
  entriesOf,
  type Field,
  fieldsOf,
  type OpenApiDocument,
  type Schema,
  typeName,
} from './openapi-document.ts';
import { samplesOf } from './samples.ts';

interface ReferencePage extends Rendered {
  title: string;
  path: string;
}

const OBJECTS = 'api/objects.html';
const examples = readExamples();

interface Reference {
  /** The page of each family, and the last one with the fields of every object. */
  pages: ReferencePage[];
  /** The list of all operations, for the page above. `#operationId` leads to its entry, whose link leads to the operation. */
  index: Rendered;
}

/** Builds the reference. `above` is the page that shows the index. */
export function buildReference(above: string): Reference {
  const document = buildOpenApi(operations, EXAMPLE_SERVER) as unknown as OpenApiDocument;
  const entries = entriesOf(document);
  const index = openPage(above, 'All operations', 2);
  const families = document.tags.map(({ name, description }) => {
    const own = entries.filter(({ operation }) => operation.tags.includes(name));
    const path = `api/${anchorOf(name)}.html`;
    const page = openPage(path, name);
    page.text(`<p>${escapeHtml(description)}</p>\n`);
    page.text(listOperations(path, own, path));
    for (const entry of own) renderOperation(page, document, entry);
    index.add(3, name, `family-${anchorOf(name)}`);
    index.text(`<p>${escapeHtml(description)}</p>\n`);
    index.text(listOperations(above, own, path, (id) => ` id="${escapeHtml(id)}"`));
    return page.end();
  });
  const objects = openPage(OBJECTS, 'Objects');
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    objects.add(2, name, anchorOf(name));
    if (schema.description !== undefined) objects.text(`<p>${escapeHtml(schema.description)}</p>\n`);
    const fields = fieldsOf(schema);
    if (fields.length === 0) objects.text(`<p>${describeType(OBJECTS, schema)}</p>\n`);
    else objects.text(fieldTable(OBJECTS, fields, `Fields of ${name}`));
  }
  const { markup, headings } = index.end();
  return { pages: [...families, objects.end()], index: { markup, headings } };
}

/** Lists operations with links to them. */
function listOperations(from: string, entries: readonly Entry[], page: string, mark = (_id: string) => ''): string {
  const items = entries.map(({ path, method, operation: { operationId, summary } }) => {
    const link = escapeHtml(relativeLink(from, `${page}#${operationId}`));
    return `<li${mark(operationId)}><a href="${link}">${escapeHtml(summary)}</a> <span class="address">${methodOf(method)} <code>${escapeHtml(path)}</code></span></li>`;
  });
  return `<ul class="operations">${items.join('')}</ul>\n`;
}

function methodOf(method: string): string {
  return `<b class="method">${method.toUpperCase()}</b>`;
}

function openPage(path: string, title: string, depth = 1) {
  const headings: Heading[] = [];
  const parts: string[] = [];
  const page = {
    path,
    text: (markup: string) => parts.push(markup),
    add(depth: number, text: string, id: string) {
      const heading = { depth, id, text };
      headings.push(heading);
      parts.push(renderHeading(heading, escapeHtml(text)));
    },
    end: (): ReferencePage => ({ title, path, markup: parts.join(''), headings }),
  };
  page.add(depth, title, anchorOf(title));
  return page;
}

function renderOperation(page: ReturnType<typeof openPage>, document: OpenApiDocument, entry: Entry): void {
  const { path, method, operation } = entry;
  page.add(2, operation.summary, operation.operationId);
  page.text(`<p class="address">${methodOf(method)} <code>${escapeHtml(path)}</code></p>\n`);
  if (operation.description !== undefined) page.text(`<p>${escapeHtml(operation.description)}</p>\n`);
  page.text(`<p>Credential: ${escapeHtml(describeSecurity(operation.security))}.</p>\n`);
  if (operation.parameters.length > 0)
    page.text(fieldTable(page.path, operation.parameters, `Parameters: ${operation.summary}`, 'Parameter'));
  for (const [type, { schema }] of Object.entries(operation.requestBody?.content ?? {})) {
    const name = schema.$ref?.split('/').at(-1);
    const fields = fieldsOf((name === undefined ? schema : document.components.schemas[name]) ?? schema);
    if (fields.length > 0)
      page.text(fieldTable(page.path, fields, `Body as ${type}: ${operation.summary}`, `Body, ${type}`));
  }
  page.text(renderSamples(entry));
  for (const [status, { description, content = {} }] of Object.entries(operation.responses)) {
    if (status >= '400') continue;
    const bodies = Object.entries(content).map(
      ([type, { schema }]) => `${describeType(page.path, schema)} as ${escapeHtml(type)}`,
    );
    const body = bodies.length === 0 ? '' : `: ${bodies.join(', or ')}`;
    page.text(`<p>Responds with <code>${status}</code> ${escapeHtml(description)}${body}.</p>\n`);
    for (const { example } of Object.values(content)) {
      if (example === undefined) continue;
      const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
      page.text(withoutSearch('response', renderCode(text, 'json')));
    }
  }
  page.text(renderErrors(page.path, entry));
  page.text(renderTry(entry));
}

/** Markup that the search leaves out, because every operation has the same words there. */
function withoutSearch(kind: string, markup: string): string {
  return `<section data-search="no" class="${kind}">${markup}</section>\n`;
}

function renderSamples(entry: Entry): string {
  const samples = samplesOf(EXAMPLE_SERVER, entry).map(
    ({ name, language, code }) =>
      `<div class="sample" data-sample="${language}"><p class="sample-name">${name}</p>${renderCode(code, language)}</div>`,
  );
  return withoutSearch('samples', samples.join(''));
}

/** Lists the errors: what this operation returns in particular, and the statuses of the others. */
function renderErrors(path: string, { operation }: Entry): string {
  const codes = escapeHtml(relativeLink(path, 'specification/conventions.html#codes'));
  const errors = Object.entries(operation.responses).filter(([status]) => status >= '400' && status !== 'default');
  const statuses = errors.map(([status]) => `<code>${status}</code>`).join(' ');
  const own = Object.values(examples[operation.operationId]?.errors ?? {});
  const shown = own.map(({ status, body }) => `// ${status}\n${JSON.stringify(body, null, 2)}`).join('\n\n');
  const details =
    own.length === 0
      ? ''
      : withoutSearch('errors', `<details><summary>Examples of errors</summary>${renderCode(shown, 'json')}</details>`);
  return `<p><a href="${codes}">Errors</a>: ${statuses}</p>\n${details}`;
}

/** What the script needs to send the request with the session of the reader. Only the server's own pages show it. */
function renderTry({ path, method, operation }: Entry): string {
  const hasSession = operation.security.some((scheme) => 'access_cookie' in scheme);
  const isPublicRead = method === 'get' && operation.security.length === 0;
  const returnsData = Object.entries(operation.responses).some(
    ([status, { content = {} }]) =>
      status < '300' && (status === '204' || Object.keys(content).some((type) => /json|csv|plain/.test(type))),
  );
  const [[type, content] = []] = Object.entries(operation.requestBody?.content ?? {});
  const isJson = type === undefined || type === 'application/json';
  if (!(hasSession || isPublicRead) || !returnsData || !isJson) return '';
  const request = {
    method: method.toUpperCase(),
    path,
    parameters: operation.parameters.map(({ name, in: place, required }) => [name, place, required === true]),
    ...(type === undefined ? {} : { body: content?.example ?? {} }),
  };
  const data = escapeHtml(JSON.stringify(request));
  return `<section data-search="no" class="try" hidden data-request="${data}" data-title="${escapeHtml(operation.summary)}"></section>\n`;
}

function fieldTable(path: string, fields: readonly Field[], label: string, head = 'Field'): string {
  const rows = fields.map((field) => {
    const notes = [field.in, field.required === true ? 'required' : 'optional'].filter(Boolean).join(', ');
    const text = field.description ?? field.schema.description ?? '';
    return `<tr><td><code>${escapeHtml(field.name)}</code></td><td>${describeType(path, field.schema)}</td><td>${notes}</td><td>${escapeHtml(text)}</td></tr>`;
  });
  const titles = `<thead><tr><th>${escapeHtml(head)}</th><th>Type</th><th>Use</th><th>Meaning</th></tr></thead>`;
  return wrapTable(`<table>${titles}<tbody>${rows.join('')}</tbody></table>`, label);
}

/** Returns the name of a type, with a link if it's an object of the list. */
function describeType(path: string, schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = typeName(schema);
    return `<a href="${escapeHtml(relativeLink(path, `${OBJECTS}#${anchorOf(name)}`))}">${escapeHtml(name)}</a>`;
  }
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => describeType(path, one)).join(' or ');
  if (schema.type === 'array' && schema.items !== undefined) return `list of ${describeType(path, schema.items)}`;
  return escapeHtml(typeName(schema));
}
