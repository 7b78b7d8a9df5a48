// Drawings of what phones show next, as inline SVG. Their colors are in the common stylesheet, so they follow the color
// scheme. Names in them are untrusted text.
import { type Html, html } from '../lib/html.ts';

const WIDTH = 240;
const HEIGHT = 176;

/** A step, and the drawing of what the phone shows then. */
export interface DrawnStep {
  words: string;
  /** Null if there is nothing to see. */
  picture: Html | null;
}

export function drawnSteps(steps: readonly DrawnStep[]): Html {
  return html`<ol class="pics">${steps.map(({ words, picture }) => (picture === null ? html`<li class="plain"><p>${words}</p></li>` : html`<li>${picture}<p>${words}</p></li>`))}</ol>`;
}

/** Frames a drawing. `label` describes it to people who can't see it. */
function drawing(label: string, parts: readonly Html[], height = HEIGHT): Html {
  return html`<svg class="pic" viewBox="6 0 ${WIDTH - 12} ${round(height)}" role="img" aria-label="${label}">${parts}</svg>`;
}

/** An alert of iOS 26 with two buttons; the second is the one to tap. */
export function alertDrawing(
  label: string,
  { question, cancel, go }: { question: string; cancel: string; go: string },
): Html {
  const lines = wrap(question, 178, 14, 5);
  const height = 72 + countLines(lines) * 18;
  const top = (HEIGHT - height) / 2;
  const buttons = top + height - 48;
  return drawing(label, [
    rect('sheet', 14, top, 212, height, 28),
    html`${lines.map((line, index) => text('b', 30, top + 30 + index * 18, line))}`,
    rect('fill', 26, buttons, 91, 36, 18),
    rect('do', 123, buttons, 91, 36, 18),
    text('b m', 71.5, buttons + 23, shorten(cancel, 84, 14)),
    text('b m w', 168.5, buttons + 23, shorten(go, 84, 14)),
    rect('mark', 119, buttons - 4, 99, 44, 22),
  ]);
}

/** The icon of an app: its image, or its first letter. */
export interface DrawnApp {
  name: string;
  letter: string;
  iconUrl: string | null;
}

/** The Home Screen, with the app being installed or ready to be opened. */
export function homeDrawing(
  label: string,
  app: DrawnApp,
  { caption, isReady }: { caption: string; isReady: boolean },
): Html {
  const slots = [
    [22, 16],
    [74, 16],
    [126, 16],
    [178, 16],
    [22, 84],
    [178, 84],
    [126, 84],
  ] as const;
  const center = { x: 94, y: 104 };
  return drawing(label, [
    html`${slots.map(([x, y]) => rect('slot', x, y, 40, 40, 10))}`,
    appIcon(app, 70, 80, 48),
    isReady
      ? rect('mark', 65, 75, 58, 58, 16)
      : html`${rect('shade', 70, 80, 48, 48, 11)}<circle class="ring" cx="${center.x}" cy="${center.y}" r="13" stroke-opacity=".4"/><path class="ring" d="M${center.x} ${center.y - 13}a13 13 0 1 1-12.4 9"/>`,
    html`<text x="${center.x}" y="149" class="b m s">${shorten(caption, 86, 12)}</text>`,
  ]);
}

/** A page of Settings in iOS with one row to tap, below a row for context. */
export function settingsDrawing(
  label: string,
  { title, row, hint, isSwitch }: { title: string; row: string; hint: string; isSwitch: boolean },
): Html {
  const lines = wrap(hint, 196, 12, 3);
  return drawing(label, [
    html`<circle class="sheet" cx="28" cy="26" r="15"/><path class="stroke" d="m30.500 20-6 6 6 6"/>`,
    text('b m', 130, 31, shorten(title, 164, 14)),
    rect('sheet', 14, 58, 212, 46, 23),
    text(isSwitch ? '' : 'a', 30, 86, shorten(row, isSwitch ? 130 : 180, 14)),
    isSwitch
      ? html`${rect('on', 168, 67, 46, 28, 14)}${rect('white', 186, 70, 25, 22, 11)}${rect('mark', 163, 62, 56, 38, 19)}`
      : rect('mark', 10, 54, 220, 54, 27),
    html`${lines.map((line, index) => text('q s', 30, 126 + index * 16, line))}`,
  ]);
}

/** The list of Settings in iOS with a row that leads on. */
export function settingsRowDrawing(label: string, { title, row }: { title: string; row: string }): Html {
  return drawing(label, [
    text('b l', 20, 32, shorten(title, 200, 16)),
    rect('sheet', 14, 46, 212, 46, 23),
    html`<circle class="fill" cx="38" cy="69" r="13"/>`,
    rect('fill', 60, 60, 84, 7, 3.5),
    rect('fill', 60, 72, 120, 6, 3),
    rect('sheet', 14, 104, 212, 44, 22),
    text('', 30, 131, shorten(row, 160, 14)),
    html`<path class="stroke" d="m206 121 5.500 5.500-5.500 5.500"/>`,
    rect('mark', 10, 100, 220, 52, 26),
  ]);
}

/** The sheet of iOS that shows a profile before it is installed. */
export function profileDrawing(label: string, { title, go, name }: { title: string; go: string; name: string }): Html {
  const width = Math.max(58, Math.min(104, widthOf(go, 14) + 24));
  return drawing(label, [
    html`<path class="sheet" d="M14 176V44a28 28 0 0 1 28-28h156a28 28 0 0 1 28 28v132z"/>`,
    html`<circle class="fill" cx="40" cy="42" r="14"/><path class="stroke" d="m35 37 10 10m0-10-10 10"/>`,
    rect('do', 216 - width, 28, width, 28, 14),
    text('b m w', 216 - width / 2, 47, shorten(go, width - 14, 14)),
    rect('mark', 212 - width, 24, width + 8, 36, 18),
    text('b', 30, 88, shorten(title, 180, 14)),
    rect('fill', 30, 102, 36, 36, 10),
    html`<path class="stroke" d="m41 120 5 5 9-10"/>`,
    html`${wrap(name, 136, 12, 3).map((line, index) => text('s', 76, 113 + index * 16, line))}`,
    rect('fill', 30, 158, 150, 7, 3.5),
  ]);
}

/** A dialog of Android 16 with two text buttons, below each other if they are long; the first is the one to tap. */
export function androidDialogDrawing(
  label: string,
  {
    title,
    question,
    cancel,
    go,
    app,
  }: { title: string; question: string; cancel: string; go: string; app: DrawnApp | null },
): Html {
  const indent = app === null ? 32 : 72;
  const titles = wrap(title, 208 - indent, 16, 3);
  const lines = wrap(question, 178, 13, 4);
  const goWidth = Math.max(62, Math.min(188, widthOf(go, 14) + 26));
  const isStacked = goWidth + widthOf(cancel, 14) + 24 > 196;
  const moreTitle = (countLines(titles) - 1) * 20;
  const body = 64 + moreTitle + countLines(lines) * 17;
  const buttons = body + 8;
  const end = buttons + (isStacked ? 76 : 42);
  const height = Math.max(HEIGHT, end + 32);
  const top = (height - end) / 2;
  const cancelY = top + buttons + (isStacked ? 61 : 23);
  return drawing(
    label,
    [
      rect('sheet', 12, top, 216, end, 26),
      ...(app === null ? [] : [appIcon(app, 30, top + 19, 30)]),
      html`${titles.map((line, index) => text('b l', indent, top + 40 + index * 20, line))}`,
      html`${lines.map((line, index) => text('q', 32, top + 66 + moreTitle + index * 17, line))}`,
      text('b m a', 216 - goWidth / 2, top + buttons + 23, shorten(go, goWidth - 10, 14)),
      text('b e a', isStacked ? 203 : 204 - goWidth, cancelY, shorten(cancel, isStacked ? 170 : 184 - goWidth, 14)),
      rect('mark', 216 - goWidth, top + buttons, goWidth, 36, 18),
    ],
    height,
  );
}

/** A notification of Android about a finished download. */
export function androidNoticeDrawing(
  label: string,
  { title, file, facts }: { title: string; file: string; facts: string },
): Html {
  return drawing(label, [
    rect('slot', 12, 14, 216, 26, 13),
    rect('sheet', 12, 52, 216, 78, 24),
    html`<circle class="own" cx="42" cy="82" r="15"/><path class="ring" d="M42 75v13m-5.500-5 5.500 5.500 5.500-5.500"/>`,
    headline(66, 79, title, 154),
    text('q', 68, 98, shorten(file, 148, 14)),
    text('q s', 68, 116, shorten(facts, 148, 12)),
    rect('mark', 8, 48, 224, 86, 28),
    rect('slot', 12, 142, 216, 48, 24),
  ]);
}

/** The page of Android on which an app gets the permission to install others. */
export function androidSwitchDrawing(
  label: string,
  { title, app, row }: { title: string; app: string; row: string },
): Html {
  const lines = wrap(row, 124, 14, 2);
  const isShort = lines[1] === '';
  return drawing(label, [
    html`<path class="stroke" d="M32 28H18m6-6-6 6 6 6"/>`,
    headline(42, 33, title, 186),
    html`<circle class="own" cx="34" cy="70" r="14"/><circle class="white" cx="34" cy="70" r="5"/>`,
    text('', 58, 75, shorten(app, 160, 14)),
    rect('sheet', 12, 98, 216, 60, 22),
    html`${lines.map((line, index) => text('b', 28, (isShort ? 133 : 124) + index * 18, line))}`,
    rect('do', 166, 113, 48, 30, 15),
    html`<circle class="white" cx="199" cy="128" r="11"/>`,
    rect('mark', 161, 108, 58, 40, 20),
  ]);
}

function appIcon({ iconUrl, letter }: DrawnApp, x: number, y: number, size: number): Html {
  if (iconUrl !== null) return html`<image href="${iconUrl}" x="${x}" y="${y}" width="${size}" height="${size}"/>`;
  return html`${rect('own', x, y, size, size, size * 0.225)}<text x="${x + size / 2}" y="${y + size * 0.68}" class="b m w l">${letter}</text>`;
}

function rect(kind: string, x: number, y: number, width: number, height: number, radius: number): Html {
  return html`<rect class="${kind}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="${round(radius)}"/>`;
}

function text(kind: string, x: number, y: number, words: string): Html {
  return html`<text class="${kind}" x="${round(x)}" y="${round(y)}">${words}</text>`;
}

/** A title in one line, smaller if it is long. */
function headline(x: number, y: number, words: string, width: number): Html {
  const isLong = widthOf(words, 14) > width;
  return text(isLong ? 'b s' : 'b', x, y, shorten(words, width, isLong ? 12 : 14));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Widths of characters in parts of the font size, a little more than the widest system font needs. */
function widthOf(words: string, size: number): number {
  let width = 0;
  for (const character of words) {
    if (/[ilj.,:;'\u2019|!()[\] ]/.test(character)) width += 0.32;
    else if (/[tfrI\u201c\u201d\u201e"-]/.test(character)) width += 0.42;
    else if (/[mwMW@%&\u2026]/.test(character)) width += 0.92;
    else if (/[A-Z]/.test(character)) width += 0.7;
    else width += character >= '\u1100' ? 1.05 : 0.57;
  }
  return width * size;
}

/** Returns the start of `words` that fits, with an ellipsis if that isn't all. */
function shorten(words: string, width: number, size: number): string {
  if (widthOf(words, size) <= width) return words;
  let kept = '';
  for (const character of words) {
    if (widthOf(`${kept}${character}…`, size) > width) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/**
 * Returns exactly `lines` lines, the last ones empty if fewer are needed, so that names change no tag. Words that are
 * too long are broken after a dot or anywhere.
 */
function wrap(words: string, width: number, size: number, lines: number): string[] {
  const made: string[] = [];
  let line = '';
  const parts = words.split(/(?<=[ .\u00ad-])/u).flatMap((part) => breakLong(part, width, size));
  for (const [index, part] of parts.entries()) {
    if (line === '' || widthOf(`${line}${part}`.trimEnd(), size) <= width) {
      line += part;
      continue;
    }
    if (made.length === lines - 1) {
      made.push(shorten(`${line}${parts.slice(index).join('')}`, width, size));
      line = '';
      break;
    }
    made.push(line.trimEnd());
    line = part;
  }
  if (line !== '') made.push(line.trimEnd());
  return [...made, ...Array.from({ length: lines }, () => '')].slice(0, lines);
}

function countLines(lines: readonly string[]): number {
  return lines.filter((line) => line !== '').length;
}

function breakLong(part: string, width: number, size: number): string[] {
  if (widthOf(part, size) <= width) return [part];
  const pieces: string[] = [];
  let piece = '';
  for (const character of part) {
    if (piece !== '' && widthOf(piece + character, size) > width) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}
