// Cells of CSV files: quoted as RFC 4180 says, and never a formula for a spreadsheet.
import { describe, expect, it } from 'vitest';
import { csvLine } from '../../src/lib/csv.ts';

describe('a line', () => {
  it.each([
    [['a', 'b'], 'a,b'],
    [['', null], ','],
    [['a,b', 'say "hi"', 'two\nlines'], '"a,b","say ""hi""","two\nlines"'],
    [['1-1', 'a=b', 'x@y'], '1-1,a=b,x@y'],
  ])('of the cells %j is %j', (cells, text) => {
    expect(csvLine(cells)).toBe(`${text}\r\n`);
  });

  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '＝1+1',
    '＋1',
    '－1',
    '＠SUM(A1)',
    ' =1+1',
    '\u200b=1',
    '\ufeff=1',
  ])('treats %j as text', (cell) => {
    expect(csvLine([cell])).toBe(`'${cell}\r\n`);
  });
});
