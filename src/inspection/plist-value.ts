// The values of property lists, in either encoding.
export type PlistValue = string | number | bigint | boolean | Date | Buffer | PlistValue[] | PlistDict;
export type PlistDict = Map<string, PlistValue>;
