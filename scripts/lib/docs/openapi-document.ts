// The parts of an OpenAPI document that the reference shows.

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
  contentMediaType?: string;
}
export interface Field {
  name: string;
  in?: string;
  required?: boolean;
  schema: Schema;
  description?: string;
  example?: unknown;
}
interface Content {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { $ref?: string; value?: unknown }>;
}
interface ResponseEntry {
  $ref?: string;
  description: string;
  content?: Record<string, Content>;
}
interface DocumentedOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters: Field[];
  requestBody?: { required: boolean; content: Record<string, Content> };
  responses: Record<string, ResponseEntry>;
  security: Record<string, unknown>[];
}
export interface OpenApiDocument {
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, ResponseEntry> };
}

export interface Entry {
  path: string;
  method: string;
  operation: DocumentedOperation;
}

/** Returns all operations, in the order of the document. */
export function entriesOf(document: OpenApiDocument): Entry[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
}

export function describeSecurity(security: Record<string, unknown>[]): string {
  const names = security.flatMap((entry) => Object.keys(entry)).map((name) => name.replaceAll('_', ' '));
  return names.length === 0 ? 'none' : names.join(', or ');
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
