// The API reference of the documentation: a page for each family of operations, generated from the OpenAPI document.
import { buildOpenApi } from '../../../src/http/openapi.ts';
import { operations } from '../../../src/operations.ts';
import {
  describeSecurity,
  type Field,
  fieldsOf,
  type OpenApiDocument,
  type Schema,
  typeName,
} from '../../../src/service/reference.ts';
import { type Heading, type Rendered, renderHeading, wrapTable } from './markdown.ts';
import { anchorOf, escapeHtml, relativeLink } from './markup.ts';

export interface ReferencePage extends Rendered {
  title: string;
  path: string;
}

const OBJECTS = 'api/objects.html';

/** Returns the pages, of which the last one has the fields of every object. */
export function buildReference(): ReferencePage[] {
  const document = buildOpenApi(operations, 'https://builds.example.com') as unknown as OpenApiDocument;
  const entries = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
  const families = document.tags.flatMap(({ name }) => {
    const own = entries.filter(({ operation }) => operation.tags.includes(name));
    if (own.length === 0) return [];
    const path = `api/${anchorOf(name)}.html`;
    const page = openPage(path, name);
    for (const entry of own) renderOperation(page, document, entry);
    return [page.end()];
  });
  const objects = openPage(OBJECTS, 'Objects');
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    objects.add(2, name, anchorOf(name));
    if (schema.description !== undefined) objects.text(`<p>${escapeHtml(schema.description)}</p>\n`);
    const fields = fieldsOf(schema);
    if (fields.length === 0) objects.text(`<p>${describeType(OBJECTS, schema)}</p>\n`);
    else objects.text(fieldTable(OBJECTS, fields, `Fields of ${name}`));
  }
  return [...families, objects.end()];
}

function openPage(path: string, title: string) {
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
  page.add(1, title, anchorOf(title));
  return page;
}

type Entry = { path: string; method: string; operation: OpenApiDocument['paths'][string][string] };

function renderOperation(
  page: ReturnType<typeof openPage>,
  document: OpenApiDocument,
  { path, method, operation }: Entry,
): void {
  page.add(2, operation.summary, operation.operationId);
  page.text(`<p><b class="method">${method.toUpperCase()}</b> <code>${escapeHtml(path)}</code></p>\n`);
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
  const responses = Object.entries(operation.responses);
  for (const [status, { description, content = {} }] of responses.filter(([status]) => status < '400')) {
    const bodies = Object.entries(content).map(
      ([type, { schema }]) => `${describeType(page.path, schema)} as ${escapeHtml(type)}`,
    );
    const body = bodies.length === 0 ? '' : `: ${bodies.join(', or ')}`;
    page.text(`<p>Responds with <code>${status}</code> ${escapeHtml(description)}${body}.</p>\n`);
  }
  const errors = responses.filter(([status]) => status >= '400').map(([status]) => `<code>${status}</code>`);
  const codes = escapeHtml(relativeLink(page.path, 'specification/conventions.html#codes'));
  if (errors.length > 0) page.text(`<p><a href="${codes}">Errors</a>: ${errors.join(' ')}</p>\n`);
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
