// What the home page derives from its data: releases by day, and the order of channels.
import { once } from '../../../lib/formats.ts';
import type { ChannelActivity } from '../../../overviews/activity-schema.ts';
import { daysBetween, formatDay, startOfDay } from '../../components/times.ts';

const weekdayIn = once((language) => new Intl.DateTimeFormat(language, { weekday: 'long' }));
const dateIn = once((language) => new Intl.DateTimeFormat(language, { month: 'long', day: 'numeric' }));
const shortDateIn = once((language) => new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric' }));
const oldDateIn = once((language) => new Intl.DateTimeFormat(language, { dateStyle: 'long' }));
const todayIn = once(
  (language) => new Intl.DateTimeFormat(language, { weekday: 'long', month: 'long', day: 'numeric' }),
);
const timeIn = once((language) => new Intl.DateTimeFormat(language, { timeStyle: 'short' }));
const relativeIn = once((language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }));

/** Returns the date of the page, such as "Thursday, November 19". */
export function formatToday(now: number, language: string): string {
  return todayIn(language).format(now);
}

/** Returns a time of day, such as "10:04". */
export function formatTimeOfDay(moment: number, language: string): string {
  return timeIn(language).format(moment);
}

function isSameYear(one: number, other: number): boolean {
  return new Date(one).getFullYear() === new Date(other).getFullYear();
}

/** Returns a date without the current year, such as "Nov 28". */
export function formatShortDate(moment: number, now: number, language: string): string {
  return isSameYear(moment, now) ? shortDateIn(language).format(moment) : formatDay(moment, language);
}

/** Returns a past day within a sentence: "today", "yesterday", a weekday, or a date. */
export function formatPastDay(moment: number, now: number, language: string): string {
  const days = daysBetween(moment, now);
  if (days <= 1) return relativeIn(language).format(-Math.max(0, days), 'day');
  if (days < 7) return weekdayIn(language).format(moment);
  return (isSameYear(moment, now) ? dateIn : oldDateIn)(language).format(moment);
}

/** Returns the same as a heading: "Today". */
export function nameDay(moment: number, now: number, language: string): string {
  const name = formatPastDay(moment, now, language);
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}

export interface Day<Item> {
  /** Start of the day in milliseconds since the epoch. */
  start: number;
  items: Item[];
}

/** Groups items by day, in the user's time zone. `items` are newest first. */
export function groupByDay<Item>(items: readonly Item[], momentOf: (item: Item) => number): Day<Item>[] {
  const days: Day<Item>[] = [];
  for (const item of items) {
    const start = startOfDay(momentOf(item));
    const last = days.at(-1);
    if (last?.start === start) last.items.push(item);
    else days.push({ start, items: [item] });
  }
  return days;
}

/** Returns the number of items of today. */
export function countToday<Item>(items: readonly Item[], momentOf: (item: Item) => number, now: number): number {
  return items.filter((item) => daysBetween(momentOf(item), now) <= 0).length;
}

/**
 * Returns channels in the order in which builds reach them: the channel with the newest build first, those without a
 * release last. `channels` are oldest first.
 */
export function orderRoute(channels: readonly ChannelActivity[]): ChannelActivity[] {
  return channels.toSorted((one, other) => {
    const [left, right] = [one.current?.build_id ?? '', other.current?.build_id ?? ''];
    return left === right ? 0 : left > right ? -1 : 1;
  });
}
