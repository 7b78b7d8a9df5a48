// A typed value (Res_value) as compiled manifests and resource tables hold it.

export const valueTypes = {
  reference: 0x01,
  string: 0x03,
  decimal: 0x10,
  hexadecimal: 0x11,
  boolean: 0x12,
  dynamicReference: 0x07,
} as const;

export interface ResourceValue {
  readonly type: number;
  readonly data: number;
  /** The text of a string value, else null. */
  readonly text: string | null;
}

/** The resource id a value refers to, or null when it is no reference. */
export function referenceOf(value: ResourceValue): number | null {
  const isReference = value.type === valueTypes.reference || value.type === valueTypes.dynamicReference;
  return isReference && value.data !== 0 ? value.data : null;
}

/** A value as text: strings as they are, numbers in decimal, booleans as words; null for every other kind. */
export function textOf(value: ResourceValue): string | null {
  if (value.text !== null) return value.text;
  if (value.type === valueTypes.decimal || value.type === valueTypes.hexadecimal) return String(value.data | 0);
  if (value.type === valueTypes.boolean) return value.data === 0 ? 'false' : 'true';
  if (value.type === 0x04) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value.data);
    return String(Number(bytes.readFloatLE(0).toPrecision(7)));
  }
  return null;
}
