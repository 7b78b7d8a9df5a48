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
    '﹦1+1',
    '﹢1',
    '﹣1',
    '﹫SUM(A1)',
    ' =1+1',
    '\u200b=1',
    '\ufeff=1',
  ])('treats %j as text', (cell) => {
    expect(csvLine([cell])).toBe(`'${cell}\r\n`);
  });

  it.each([
    ['Crash;=1+1;', "Crash;'=1+1;"],
    ['Crash; @SUM(A1)', "Crash; '@SUM(A1)"],
    ['a;\u200b＝1+1;-1', "a;\u200b'＝1+1;'-1"],
    ['a;﹦1+1', "a;'﹦1+1"],
    ['=1;=2', "'=1;'=2"],
    ['a;"=1+1;', `"a;""'=1+1;"`],
    ['a\n "=1+1', `"a\n ""'=1+1"`],
    ['a;"b"=1', '"a;""b""=1"'],
    ['Crash\n=1+1', `"Crash\n'=1+1"`],
    ['Crash\r\n\r\n +1', `"Crash\r\n\r\n '+1"`],
    ['a; b\nc-1 d=1', '"a; b\nc-1 d=1"'],
    [`a;${'\ufeff '.repeat(1000)}b`, `a;${'\ufeff '.repeat(1000)}b`],
  ])('treats what follows a separator of other languages in %j as text', (cell, text) => {
    expect(csvLine(['x', cell])).toBe(`x,${text}\r\n`);
  });
});
