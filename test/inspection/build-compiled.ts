// Writes Android's compiled XML and resource tables for tests.

type CompiledInput = string | number | boolean | { readonly ref: number };

export interface CompiledNode {
  readonly name: string;
  /** Attributes with their resource id; 0 for those without one. A name may be empty, as in obfuscated packages. */
  readonly attributes?: readonly (readonly [name: string, id: number, value: CompiledInput])[];
  readonly children?: readonly CompiledNode[];
}

const none = 0xffffffff;

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => {
    bytes.writeUInt32LE(value >>> 0, index * 4);
  });
  return bytes;
}

function halves(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, index) => {
    bytes.writeUInt16LE(value, index * 2);
  });
  return bytes;
}

function chunk(type: number, header: Buffer, ...body: Buffer[]): Buffer {
  const content = Buffer.concat([header, ...body]);
  return Buffer.concat([halves(type, 8 + header.length), words(8 + content.length), content]);
}

function buildStringPool(strings: readonly string[], isUtf8: boolean): Buffer {
  const encoded = strings.map((text) => {
    if (!isUtf8) return Buffer.concat([halves(text.length), Buffer.from(text, 'utf16le'), halves(0)]);
    const bytes = Buffer.from(text);
    const length = (count: number) => (count < 128 ? [count] : [0x80 | (count >> 8), count & 0xff]);
    return Buffer.concat([Buffer.from([...length(text.length), ...length(bytes.length)]), bytes, Buffer.from([0])]);
  });
  let offset = 0;
  const offsets = encoded.map((bytes) => {
    const start = offset;
    offset += bytes.length;
    return start;
  });
  const padding = Buffer.alloc((4 - (offset % 4)) % 4);
  const header = words(strings.length, 0, isUtf8 ? 0x100 : 0, 28 + strings.length * 4, 0);
  return chunk(0x0001, header, words(...offsets), ...encoded, padding);
}

function typedValue(value: CompiledInput, indexOf: (text: string) => number): [type: number, data: number] {
  if (typeof value === 'string') return [0x03, indexOf(value)];
  if (typeof value === 'number') return [0x10, value];
  if (typeof value === 'boolean') return [0x12, value ? none : 0];
  return [0x01, value.ref];
}

/** Compiled XML of a document. Names with a resource id come first in the pool, as the resource map demands. */
export function buildCompiledXml(root: CompiledNode, isUtf8 = false): Buffer {
  const named: { name: string; id: number }[] = [];
  const others: string[] = [];
  const collect = (node: CompiledNode) => {
    for (const [name, id, value] of node.attributes ?? []) {
      if (id !== 0 && !named.some((known) => known.id === id)) named.push({ name, id });
      if (id === 0) others.push(name);
      if (typeof value === 'string') others.push(value);
    }
    others.push(node.name);
    node.children?.forEach(collect);
  };
  collect(root);
  const plain = [...new Set(others)];
  const indexOf = (text: string) => named.length + plain.indexOf(text);
  const parts: Buffer[] = [];
  const write = (node: CompiledNode) => {
    const attributes = (node.attributes ?? []).map(([name, id, value]) => {
      const [type, data] = typedValue(value, indexOf);
      const nameIndex = id === 0 ? indexOf(name) : named.findIndex((known) => known.id === id);
      return Buffer.concat([
        words(none, nameIndex, type === 3 ? data : none),
        halves(8),
        Buffer.from([0, type]),
        words(data),
      ]);
    });
    const head = Buffer.concat([words(none, indexOf(node.name)), halves(20, 20, attributes.length, 0, 0, 0)]);
    parts.push(chunk(0x0102, words(1, none), head, ...attributes));
    node.children?.forEach(write);
    parts.push(chunk(0x0103, words(1, none), words(none, indexOf(node.name))));
  };
  write(root);
  const pool = buildStringPool([...named.map(({ name }) => name), ...plain], isUtf8);
  const map = chunk(0x0180, Buffer.alloc(0), words(...named.map(({ id }) => id)));
  return chunk(0x0003, Buffer.alloc(0), pool, map, ...parts);
}

export interface TableEntry {
  /** Resource type and entry, both as in an id: 0x7fTTEEEE. */
  readonly id: number;
  readonly value: CompiledInput;
  readonly language?: string;
  readonly density?: number;
}

export type EntryLayout = 'plain' | 'sparse' | 'short' | 'compact';

/** A resource table with one type chunk per entry, in one of the layouts that Android knows. */
export function buildResourceTable(entries: readonly TableEntry[], layout: EntryLayout = 'plain'): Buffer {
  const strings = [...new Set(entries.flatMap(({ value }) => (typeof value === 'string' ? [value] : [])))];
  const types = entries.map((entry) => typeChunk(entry, layout, (text) => strings.indexOf(text)));
  const name = Buffer.alloc(256);
  const packageHeader = Buffer.concat([words(0x7f), name, words(0, 0, 0, 0, 0)]);
  const content = chunk(0x0200, packageHeader, ...types);
  return chunk(0x0002, words(1), buildStringPool(strings, true), content);
}

function typeChunk(entry: TableEntry, layout: EntryLayout, indexOf: (text: string) => number): Buffer {
  const index = entry.id & 0xffff;
  const [type, data] = typedValue(entry.value, indexOf);
  const config = Buffer.alloc(64);
  config.writeUInt32LE(64, 0);
  config.write(entry.language ?? '', 8, 'latin1');
  config.writeUInt16LE(entry.density ?? 0, 14);
  const value =
    layout === 'compact'
      ? Buffer.concat([halves(0, 0x0008 | (type << 8)), words(data)])
      : Buffer.concat([halves(8, 0), words(0), halves(8), Buffer.from([0, type]), words(data)]);
  const count = layout === 'sparse' ? 1 : index + 1;
  const offsets =
    layout === 'sparse'
      ? halves(index, 0)
      : layout === 'short'
        ? halves(...Array<number>(index).fill(0xffff), 0, ...Array<number>((index + 1) % 2).fill(0))
        : words(...Array<number>(index).fill(none), 0);
  const flags = layout === 'sparse' ? 1 : layout === 'short' ? 2 : 0;
  const header = Buffer.concat([
    Buffer.from([(entry.id >> 16) & 0xff, flags, 0, 0]),
    words(count, 20 + 64 + offsets.length),
    config,
  ]);
  return chunk(0x0201, header, offsets, value);
}
