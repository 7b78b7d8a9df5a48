// The file by which Apple's page registers several devices at once: three columns, tab separated, a header first.
import { nameModel } from './models.ts';
import type { DeviceRow } from './store.ts';

export const IMPORT_HEADER = 'Device ID\tDevice Name\tDevice Platform';

/** Apple refuses longer names. */
const MOST_NAME_CHARACTERS = 50;

/** The file for some devices, in their order. Names are people's: cleaned of what could break the table or start a formula. */
export function writeImportFile(rows: readonly Pick<DeviceRow, 'udid' | 'name' | 'product'>[]): string {
  const lines = rows.map((row) => [row.udid, cleanName(row), isMac(row.product) ? 'mac' : 'ios'].join('\t'));
  return [IMPORT_HEADER, ...lines].map((line) => `${line}\n`).join('');
}

function cleanName({ name, product }: Pick<DeviceRow, 'name' | 'product'>): string {
  const cleaned = name
    .toWellFormed()
    // Tabs and line ends would make cells, invisible characters hide what a name is, quotes make readers look for their pair.
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .replaceAll('"', "'")
    // Spreadsheets take these at the start of a cell for a formula, in some countries their wide and small forms too.
    .replace(/^[\s=+\-@'|%\uff1d\uff0b\uff0d\uff20\uff5c\uff05\ufe66\ufe62\ufe63\ufe6b\ufe6a]+/, '');
  const characters = [...cleaned.trim()].slice(0, MOST_NAME_CHARACTERS).join('').trim();
  if (characters !== '') return characters;
  return product === null ? 'Device' : nameModel(product);
}

function isMac(product: string | null): boolean {
  return product?.includes('Mac') === true;
}
