// The file for registering several devices on Apple's website: three tab-separated columns with a header.
import { classOfProduct } from '../lib/apple-device-classes.ts';
import { nameModel } from './models.ts';
import type { DeviceRow } from './store.ts';

export const IMPORT_HEADER = 'Device ID\tDevice Name\tDevice Platform';

/** Apple rejects longer names. */
const MAX_NAME_CHARACTERS = 50;

/** Returns the file with the lines of devices. */
export const writeImportFile = (lines: readonly string[]): string => `${IMPORT_HEADER}\n${lines.join('')}`;

/**
 * Returns the line of a device. Names come from users, so characters that could break the table or start a formula are
 * removed.
 */
export function toImportLine(row: Pick<DeviceRow, 'udid' | 'name' | 'product'>): string {
  const platform = classOfProduct(row.product) === 'MAC' ? 'mac' : 'ios';
  return `${[row.udid, cleanName(row), platform].join('\t')}\n`;
}

function cleanName({ name, product }: Pick<DeviceRow, 'name' | 'product'>): string {
  const cleaned = name
    .toWellFormed()
    // Tabs and line ends would start cells, invisible characters could hide a part of the name, and quotes would need a
    // closing one.
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .replaceAll('"', "'")
    // Spreadsheets treat these characters at the start of a cell as a formula, in some locales also their wide and
    // small forms.
    .replace(/^[\s=+\-@'|%\uff1d\uff0b\uff0d\uff20\uff5c\uff05\ufe66\ufe62\ufe63\ufe6b\ufe6a]+/, '');
  const characters = [...cleaned.trim()].slice(0, MAX_NAME_CHARACTERS).join('').trim();
  if (characters !== '') return characters;
  return product === null ? 'Device' : nameModel(product);
}
