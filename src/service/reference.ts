// The reference page: the OpenAPI document rendered on the server, without scripts or external resources.

import { DOCS_STYLE_PATH, OPENAPI_PATH } from '../lib/api-docs-paths.ts';
import { type Html, html } from '../lib/html.ts';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
}
export interface Field {
  name: string;
  in?: string;
  required?: boolean;
  schema: Schema;
  description?: string;
}
interface DocumentedOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters: Field[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
  security: Record<string, unknown>[];
}
export interface OpenApiDocument {
  info: { title: string; version: string };
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, Schema> };
}

/** Renders the whole page for a document. */
export function renderReference(document: OpenApiDocument): Html {
  const entries = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
  const sections = document.tags.map(
    ({ name }) =>
      html`<section><h2 id="${anchor(name)}">${name}</h2>${entries
        .filter(({ operation }) => operation.tags.includes(name))
        .map((entry) => renderOperation(document, entry.method, entry.path, entry.operation))}</section>`,
  );
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => renderSchema(name, schema));
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${document.info.title} API</title><link rel="stylesheet" href="${DOCS_STYLE_PATH}"></head>
<body><main><h1>${document.info.title} API</h1>
<p class="soft">Version ${document.info.version} at <code>${document.servers[0]?.url}</code>. The same as a machine reads it:
<a href="${OPENAPI_PATH}">openapi.json</a>.</p>
<nav aria-label="Families"><ul>${document.tags.map(({ name }) => html`<li><a href="${`#${anchor(name)}`}">${name}</a></li>`)}
<li><a href="#shapes">Shapes</a></li></ul></nav>
${sections}<section><h2 id="shapes">Shapes</h2>${schemas}</section></main></body></html>`;
}

function anchor(name: string): string {
  return `tag-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
}

function renderOperation(
  document: OpenApiDocument,
  method: string,
  path: string,
  operation: DocumentedOperation,
): Html {
  const bodies = Object.entries(operation.requestBody?.content ?? {});
  return html`<details id="${operation.operationId}"><summary><span class="method">${method}</span><code>${path}</code>
<span class="soft">${operation.summary}</span></summary><div class="body">
${operation.description === undefined ? null : html`<p>${operation.description}</p>`}
<p>Credential: ${describeSecurity(operation.security)}.</p>
${renderFields('Parameters', operation.parameters)}
${bodies.map(([type, { schema }]) => html`<h4>Body <code>${type}</code> ${typeName(schema)}</h4>${renderFields('', fieldsOf(resolve(document, schema)))}`)}
<h4>Answers</h4><table><tbody>${Object.entries(operation.responses).map(
    ([status, answer]) =>
      html`<tr><td><code>${status}</code></td><td>${answer.description}</td><td>${Object.entries(
        answer.content ?? {},
      ).map(
        ([type, { schema }]) => html`<code>${typeName(schema)}</code> <span class="soft">${type}</span>`,
      )}</td></tr>`,
  )}</tbody></table></div></details>`;
}

export function describeSecurity(security: Record<string, unknown>[]): string {
  const names = security.flatMap((entry) => Object.keys(entry)).map((name) => name.replaceAll('_', ' '));
  return names.length === 0 ? 'none' : names.join(', or ');
}

function renderSchema(name: string, schema: Schema): Html {
  const fields = fieldsOf(schema);
  return html`<details id="${`shape-${name}`}"><summary><code>${name}</code>
<span class="soft">${schema.description ?? (fields.length === 0 ? typeName(schema) : '')}</span></summary>
<div class="body">${renderFields('', fields)}</div></details>`;
}

function renderFields(title: string, fields: Field[]): Html | null {
  if (fields.length === 0) return null;
  return html`${title === '' ? null : html`<h4>${title}</h4>`}<table><tbody>${fields.map(
    (field) => html`<tr><td><code>${field.name}</code></td><td>${typeName(field.schema)}</td>
<td class="soft">${[field.in, field.required === true ? 'required' : 'optional'].filter(Boolean).join(', ')}</td>
<td>${field.description ?? field.schema.description ?? ''}</td></tr>`,
  )}</tbody></table>`;
}

function resolve(document: OpenApiDocument, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (document.components.schemas[name] ?? schema);
}

export function fieldsOf(schema: Schema): Field[] {
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    schema: property,
    required: schema.required?.includes(name) ?? false,
  }));
}

export function typeName(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeName).join(' or ');
  if (schema.enum !== undefined) return schema.enum.map(String).join(' | ');
  if (schema.const !== undefined) return String(schema.const);
  if (schema.type === 'array') return `list of ${schema.items === undefined ? 'anything' : typeName(schema.items)}`;
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'anything');
  return schema.format === undefined ? type : `${type} (${schema.format})`;
}
