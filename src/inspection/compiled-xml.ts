// Android's compiled XML (AXML): iterates over its elements. Attributes are identified by resource id if they have one.
import { Cursor } from './cursor.ts';
import { openStringPool, type StringPool, stringPoolType } from './resource-strings.ts';
import { type ResourceValue, valueTypes } from './resource-value.ts';

const xmlType = 0x0003;
const resourceMapType = 0x0180;
const startElementType = 0x0102;
const endElementType = 0x0103;
const maxElements = 50_000;
const maxAttributes = 500_000;
const deepest = 256;
const maxElementNameLength = 100;
const none = 0xffffffff;

interface CompiledAttribute {
  readonly name: string;
  readonly hasNamespace: boolean;
  /** Resource id of the attribute's name. Obfuscated packages keep it even if they remove the name. */
  readonly resourceId: number | null;
  /** The text of the source, which Android prefers for attributes that it finds by name; null if it wasn't kept. */
  readonly source: string | null;
  readonly value: ResourceValue;
}

export interface CompiledElement {
  /** Element names from the root to this element. */
  readonly path: readonly string[];
  readonly name: string;
  readonly attributes: readonly CompiledAttribute[];
}

/**
 * Calls `visit` for every element in document order. Throws for plain XML, invalid chunks, more than 50,000 elements, and documents
 * that programs read differently: with two string pools, resource maps or root elements.
 */
export function walkCompiledXml(bytes: Buffer, visit: (element: CompiledElement) => void): void {
  const cursor = new Cursor(bytes, 'The compiled XML');
  if (bytes.length < 8 || cursor.u16(0) !== xmlType) cursor.refuse("isn't in the compiled format");
  const total = cursor.u32(4);
  if (total > bytes.length) cursor.refuse('is truncated');
  let pool: StringPool | null = null;
  let resourceIds: Cursor | null = null;
  const path: string[] = [];
  let elements = 0;
  let attributes = 0;
  let offset = cursor.u16(2);
  while (offset + 8 <= total) {
    const type = cursor.u16(offset);
    const size = cursor.u32(offset + 4);
    if (size < 8 || size % 4 !== 0) cursor.refuse('has a chunk with an invalid size');
    const chunk = new Cursor(cursor.slice(offset, size), 'The compiled XML');
    if (type === stringPoolType) {
      if (pool !== null) cursor.refuse('has two string pools');
      pool = openStringPool(chunk.bytes);
    } else if (type === resourceMapType) {
      if (resourceIds !== null) cursor.refuse('has two resource maps');
      resourceIds = new Cursor(chunk.bytes.subarray(chunk.u16(2)), 'The compiled XML');
    } else if (type === startElementType) {
      if (elements > 0 && path.length === 0) cursor.refuse('has two root elements');
      const element = readElement(chunk, pool ?? cursor.refuse('has no strings'), resourceIds, path);
      elements += 1;
      attributes += element.attributes.length;
      if (elements > maxElements || attributes > maxAttributes) cursor.refuse('has too many elements');
      path.push(element.name);
      if (path.length > deepest) cursor.refuse('is nested too deeply');
      visit(element);
    } else if (type === endElementType) path.pop();
    offset += size;
  }
  if (elements === 0) cursor.refuse('has no elements');
  if (path.length > 0) cursor.refuse('is truncated');
}

function readElement(chunk: Cursor, pool: StringPool, resourceIds: Cursor | null, parents: string[]): CompiledElement {
  const body = chunk.u16(2);
  const name = (pool.get(chunk.u32(body + 4)) ?? '').slice(0, maxElementNameLength);
  const start = body + chunk.u16(body + 8);
  const size = chunk.u16(body + 10);
  const count = chunk.u16(body + 12);
  if (count > 0 && size < 20) chunk.refuse('has attributes with an invalid size');
  const attributes: CompiledAttribute[] = [];
  for (let index = 0; index < count; index += 1) {
    const at = start + index * size;
    const nameIndex = chunk.u32(at + 4);
    const rawIndex = chunk.u32(at + 8);
    const type = chunk.u8(at + 15);
    const data = chunk.u32(at + 16);
    const hasId = resourceIds !== null && nameIndex * 4 + 4 <= resourceIds.length;
    const id = hasId ? resourceIds.u32(nameIndex * 4) : 0;
    const isText = type === valueTypes.string;
    attributes.push({
      name: pool.get(nameIndex) ?? '',
      hasNamespace: pool.get(chunk.u32(at)) !== null,
      resourceId: id === 0 ? null : id,
      source: pool.get(rawIndex),
      value: { type, data, text: isText ? pool.get(data === none ? rawIndex : data) : null },
    });
  }
  return { path: [...parents, name], name, attributes };
}
