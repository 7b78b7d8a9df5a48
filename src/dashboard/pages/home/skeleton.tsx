// The home page while it is loading, in its final shape.
import { Skeleton } from '@mantine/core';
import { useTexts } from '../../texts/locale.ts';

const RELEASES = 4;
const ITEMS = 3;
const APPS = 4;

export function HomeSkeleton() {
  const t = useTexts().common;
  return (
    <div aria-busy="true" className="tw-home">
      <span className="tw-offscreen" role="status">
        {t.loading}
      </span>
      <div className="tw-home-columns" data-both>
        <Rows count={RELEASES} icon={36} />
        <Rows count={ITEMS} icon={28} isAttention />
      </div>
      <Rows count={APPS} icon={32} />
    </div>
  );
}

function Rows({ count, icon, isAttention = false }: { count: number; icon: number; isAttention?: boolean }) {
  return (
    <div className={isAttention ? 'tw-attention' : undefined}>
      <div className="tw-home-head">
        <Skeleton width={120} height={14} />
      </div>
      <ul className="tw-news">
        {Array.from({ length: count }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the placeholders are identical
          <li key={index} className="tw-attention-row">
            <Skeleton width={icon} height={icon} radius={8} className="tw-skeleton-icon" />
            <span className="tw-grow">
              <Skeleton width="40%" height={12} mb={8} />
              <Skeleton width="60%" height={10} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
