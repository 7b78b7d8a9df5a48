// The values of property lists in both encodings.
export type PlistValue = string | number | bigint | boolean | Date | Buffer | PlistValue[] | PlistDict;
export type PlistDict = Map<string, PlistValue>;
