// Detects passwords that are guessed first: common ones with the usual variations, keyboard sequences, and the
// account's own names.
import { domainToUnicode } from 'node:url';
import { COMMON_WORDS } from './common-passwords.ts';

/** Public facts about the person who chooses a password. */
export interface PasswordOwner {
  email?: string | undefined;
  displayName?: string | undefined;
  organizationName?: string | undefined;
}

/** Longer passwords are only checked for repetition. */
const MAX_GUESSED_LENGTH = 128;
const MIN_OWN_WORD_LENGTH = 3;
const MIN_RUN_LENGTH = 3;
const MAX_BLOCK_LENGTH = 5;
const FEWEST_CHARACTERS = 4;
/** Digits and symbols around a word, which attackers try quickly. */
const MAX_DIGITS = 6;
const MAX_MARKS = 3;

/** Sequences on a keyboard, in both directions. */
const PATHS = [
  '0123456789'.repeat(3),
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'qwertzuiopü',
  'azertyuiop',
  'asdfghjklöä',
  'qsdfghjklm',
  'zxcvbnm',
  'yxcvbnm',
  'wxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  'qazwsxedcrfvtgbyhnujmikolp',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  'zaq1xsw2cde3vfr4bgt5nhy6mju7',
  '147258369',
  '!@#$%^&*()',
  '!"§$%&/()=',
].flatMap((path) => [path, [...path].reverse().join('')]);

const DISGUISES: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '!': 'i',
  '|': 'l',
  '3': 'e',
  '€': 'e',
  '4': 'a',
  '@': 'a',
  '5': 's',
  $: 's',
  '7': 't',
  '+': 't',
  '8': 'b',
  '9': 'g',
};

/**
 * Returns why a password is easy to guess, as the end of a sentence, or undefined if it isn't. Works without a network:
 * a list of the words in most leaked passwords, and rules for their variations. It only rejects passwords that are
 * guessed within minutes. Two different words, or one with an addition of one's own, are accepted.
 */
export function findWeakness(password: string, owner: PasswordOwner = {}): string | undefined {
  const text = password.normalize('NFKC').toLowerCase();
  const joined = withoutSeparators(text);
  if (isRepetition(text) || isRepetition(joined)) return 'it repeats the same few characters';
  if (text.length > MAX_GUESSED_LENGTH) return undefined;
  if (isAllRuns(text) || isAllRuns(joined)) return 'it is a sequence of the keyboard or the alphabet';
  const cores = coresOf(joined);
  if (cores.some(isCommon)) return 'it is one of the most common passwords';
  const own = ownWords(owner);
  const plain = joined.replaceAll('@', '');
  if ([plain, ...coresOf(plain)].some((core) => isMadeOf(core, own))) {
    return 'it consists of the name or email address of the account';
  }
  return undefined;
}

/** Returns whether a text is a block of up to five characters repeated, or has hardly any different characters. */
function isRepetition(text: string): boolean {
  const characters = [...text];
  if (new Set(characters).size < FEWEST_CHARACTERS) return true;
  for (let length = 1; length <= MAX_BLOCK_LENGTH && length * 2 <= characters.length; length += 1) {
    if (characters.every((character, index) => index < length || character === characters[index - length])) return true;
  }
  return false;
}

/** Returns whether a text consists only of sequences of three or more keys, or of the same character. */
function isAllRuns(text: string): boolean {
  let start = 0;
  while (start < text.length) {
    const length = runLength(text, start);
    if (length < MIN_RUN_LENGTH) return false;
    start += length;
  }
  return true;
}

function runLength(text: string, start: number): number {
  let longest = 1;
  while (text[start + longest] === text[start]) longest += 1;
  for (const path of PATHS) {
    // Also if a key appears twice in the sequence.
    for (let at = path.indexOf(text[start] ?? ''); at >= 0; at = path.indexOf(text[start] ?? '', at + 1)) {
      let length = 1;
      while (at + length < path.length && path[at + length] === text[start + length]) length += 1;
      longest = Math.max(longest, length);
    }
  }
  return longest;
}

/** Returns a text without the digits and symbols around it, with substituted characters converted to letters. */
function coresOf(text: string): string[] {
  const [, before = '', middle = '', after = ''] = /^([^\p{L}]*)(.*?)([^\p{L}]*)$/su.exec(text) ?? [];
  const readings = [reveal(text)];
  if (isPredictable(before) && isPredictable(after)) readings.push(middle, reveal(middle));
  // A substituted letter may be at the end, so what follows is shorter than it seems.
  if (isPredictable(before) && after !== '' && isPredictable(after.slice(1))) readings.push(reveal(middle + after[0]));
  if (isPredictable(after) && before !== '' && isPredictable(before.slice(0, -1))) {
    readings.push(reveal(before.slice(-1) + middle));
  }
  return readings.flatMap((reading) => [reading, reading.replace(/i/g, 'l')]).filter((core) => core !== '');
}

function reveal(text: string): string {
  return text.replace(/[^\p{L}]/gu, (character) => DISGUISES[character] ?? character);
}

function isPredictable(decoration: string): boolean {
  const digits = decoration.replace(/\D/g, '');
  if (decoration.length - digits.length > MAX_MARKS) return isAllRuns(decoration);
  return digits.length <= MAX_DIGITS || isAllRuns(digits) || isRepetition(digits);
}

/** Matches a common word, or several repetitions of one. */
function isCommon(core: string): boolean {
  if (COMMON_WORDS.has(core)) return true;
  for (let times = 2; times <= 4; times += 1) {
    const word = core.slice(0, core.length / times);
    if (core.length % times === 0 && COMMON_WORDS.has(word) && word.repeat(times) === core) return true;
  }
  return false;
}

function withoutSeparators(text: string): string {
  return text.replace(/[\s._,-]/g, '');
}

/**
 * Returns the words of an account's names and address. Also the names, the address and its domain as a whole, because
 * some of their words are too short to count on their own, such as the end of `dana@northwind.de`.
 */
function ownWords({ email = '', displayName = '', organizationName = '' }: PasswordOwner): Set<string> {
  const [local = '', domain = ''] = email.split('@');
  // Domains are stored as Punycode, but typed as they are read.
  const readable = domainToUnicode(domain);
  const texts = [email, local, domain, `${local}@${readable}`, readable, displayName, organizationName].map((text) =>
    text.normalize('NFKC').toLowerCase(),
  );
  const words = texts.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u));
  const wholes = texts.map((text) => withoutSeparators(text).replaceAll('@', ''));
  const own = [...words, ...wholes].flatMap((word) => [word, word.replace(/\d+$/, '')]);
  return new Set(own.filter((word) => word.length >= MIN_OWN_WORD_LENGTH));
}

/** Returns whether a text is a concatenation of words from a set. */
function isMadeOf(text: string, words: ReadonlySet<string>): boolean {
  const reached = [true];
  for (let end = 1; end <= text.length; end += 1) {
    reached[end] = [...words].some(
      (word) => reached[end - word.length] === true && text.startsWith(word, end - word.length),
    );
  }
  return reached[text.length] === true;
}
