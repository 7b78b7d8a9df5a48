// A typed value (Res_value) in compiled manifests and resource tables.

export const valueTypes = {
  reference: 0x01,
  string: 0x03,
  decimal: 0x10,
  hexadecimal: 0x11,
  boolean: 0x12,
  dynamicReference: 0x07,
} as const;

/** Numbers, booleans and colors have the types from `decimal` to this one. */
const lastNumberType = 0x1f;

export interface ResourceValue {
  readonly type: number;
  readonly data: number;
  /** The text of a string value, otherwise null. */
  readonly text: string | null;
}

/** Returns the resource id of a reference, or null for other values. */
export function referenceOf(value: ResourceValue): number | null {
  const isReference = value.type === valueTypes.reference || value.type === valueTypes.dynamicReference;
  return isReference && value.data !== 0 ? value.data : null;
}

/** Returns a value as text: strings unchanged, numbers in decimal, booleans as words; null for other types. */
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

/** Whether Android takes a value for true: a number other than zero, or a text that says so. */
export function isTrue({ type, data, text }: ResourceValue): boolean {
  const isNumber = type >= valueTypes.decimal && type <= lastNumberType;
  return isNumber ? data !== 0 : text !== null && ['1', 'true', 'TRUE'].includes(text);
}
