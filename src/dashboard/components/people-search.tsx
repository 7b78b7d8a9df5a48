// The search in a list of people, by name or email address. Short lists don't have it.
import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useReadPages } from '../api/hooks.ts';
import { useTexts } from '../texts/locale.ts';

/** From this number of people on, a list has a search. */
export const SEARCHED_FROM = 10;
/** How long the search waits for the next letter. */
const PAUSE_MS = 300;
/** The longest text that the server searches for: an email address. */
const MAX_LENGTH = 254;

/** Reads a list of people, or those that match what was typed. `query` is what the list was read with. */
export function usePeople<Item>(path: string) {
  const [text, setText] = useState('');
  const [wanted, setWanted] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setWanted(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const isSearched = wanted !== '';
  const query: Record<string, string> = isSearched ? { text: wanted } : {};
  const list = useReadPages<Item>(path, { query });
  const { rows, hasNextPage, isFetchingNextPage, error, fetchNextPage } = list;
  // A page of a search reads a limited number of people. It can be empty although others follow.
  const isUnfinished = isSearched && rows?.length === 0 && hasNextPage && error === null;
  useEffect(() => {
    if (isUnfinished && !isFetchingNextPage) void fetchNextPage();
  }, [isUnfinished, isFetchingNextPage, fetchNextPage]);
  // Stays while the list is searched, however few are found or left.
  const isLong = useRef(false);
  if (!isSearched && rows !== undefined && (rows.length >= SEARCHED_FROM || hasNextPage)) isLong.current = true;
  return {
    ...list,
    rows: isUnfinished ? undefined : rows,
    query,
    isSearched,
    search: isLong.current
      ? { text, setText, found: isSearched && !isUnfinished ? rows?.length : undefined, hasMore: hasNextPage }
      : undefined,
  };
}

interface PeopleSearchProps {
  search: { text: string; setText(text: string): void; found: number | undefined; hasMore: boolean } | undefined;
}

/** The field of a list that `usePeople` reads, and the number of people who were found. */
export function PeopleSearch({ search }: PeopleSearchProps) {
  const t = useTexts().people.search;
  if (search === undefined) return null;
  const { text, setText, found, hasMore } = search;
  return (
    <PeopleSearchField text={text} onChange={setText}>
      {found !== undefined && (hasMore ? t.foundSoFar(found) : t.found(found))}
    </PeopleSearchField>
  );
}

interface PeopleSearchFieldProps {
  text: string;
  onChange(text: string): void;
  /** How many people were found. */
  children: ReactNode;
}

export function PeopleSearchField({ text, onChange, children }: PeopleSearchFieldProps) {
  const t = useTexts().people.search;
  return (
    <div className="tw-toolbar">
      <TextInput
        type="search"
        className="tw-toolbar-search"
        aria-label={t.label}
        placeholder={t.label}
        maxLength={MAX_LENGTH}
        autoComplete="off"
        spellCheck={false}
        leftSection={<IconSearch size={14} aria-hidden />}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <span className="tw-small tw-toolbar-note" role="status">
        {children}
      </span>
    </div>
  );
}
