// The cards of apps while they are being loaded, in their final shape.
import { Skeleton } from '@mantine/core';
import { useTexts } from '../../texts/locale.ts';

export function CardSkeleton() {
  const t = useTexts().common;
  return (
    <div className="tw-card tw-app-card" aria-busy="true">
      <span className="tw-offscreen" role="status">
        {t.loading}
      </span>
      <div className="tw-row">
        <Skeleton width={52} height={52} radius={12} />
        <div className="tw-grow">
          <Skeleton width="60%" height={14} mb={8} />
          <Skeleton width="40%" height={12} />
        </div>
      </div>
      <Skeleton width="30%" height={14} />
      <Skeleton width="80%" height={12} />
      <Skeleton height={32} radius="md" />
    </div>
  );
}

export function CardsSkeleton({ cards }: { cards: number }) {
  return (
    <div className="tw-cards">
      {Array.from({ length: cards }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the placeholders are identical
        <CardSkeleton key={index} />
      ))}
    </div>
  );
}
