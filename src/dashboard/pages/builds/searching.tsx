// What is said about a search that has found few builds for some pages.
import { Button } from '@mantine/core';
import { EmptyState } from '../../components/page.tsx';
import { formatDay } from '../../components/times.ts';
import { useLocale } from '../../texts/locale.ts';
import type { SearchProgress } from './search-progress.ts';

function useSearchedText({ searchedTo }: SearchProgress): string {
  const { language, texts } = useLocale();
  const t = texts.builds.filters;
  return searchedTo === undefined ? t.searchedSome : t.searchedTo(formatDay(searchedTo, language));
}

/** The place of the list while no build is found. */
export function NothingYet({ progress }: { progress: SearchProgress }) {
  const t = useLocale().texts.builds.filters;
  return (
    <EmptyState
      drawing="search"
      title={t.nothingYet}
      text={<span role="status">{useSearchedText(progress)}</span>}
      action={<Button onClick={progress.searchFurther}>{t.searchFurther}</Button>}
    />
  );
}

/** The line that says how far the search came; with a button that continues it, or stops one that takes long. */
export function SearchedLine({ progress }: { progress: SearchProgress }) {
  const t = useLocale().texts.builds.filters;
  return (
    <div className="tw-searched">
      <span role="status">{useSearchedText(progress)}</span>
      {progress.isPaused ? (
        <Button variant="default" size="xs" onClick={progress.searchFurther}>
          {t.searchFurther}
        </Button>
      ) : (
        progress.stop !== undefined && (
          <Button variant="default" size="xs" onClick={progress.stop}>
            {t.stopSearch}
          </Button>
        )
      )}
    </div>
  );
}
