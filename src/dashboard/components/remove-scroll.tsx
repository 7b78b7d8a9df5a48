// Replaces react-remove-scroll in the bundle. The original locks scrolling with a style element, which the content
// security policy forbids; this one uses a class.
import { type ComponentProps, useEffect } from 'react';

const CLASS = 'tw-scroll-locked';

interface RemoveScrollProps extends ComponentProps<'div'> {
  enabled?: boolean;
  /** Part of the original's interface and ignored here. */
  removeScrollBar?: boolean;
  allowPinchZoom?: boolean;
  noIsolation?: boolean;
  inert?: boolean;
  shards?: unknown;
}

/** Locks scrolling of the page while it is rendered and enabled. */
export function RemoveScroll({
  enabled = true,
  removeScrollBar: _bar,
  allowPinchZoom: _zoom,
  noIsolation: _isolation,
  inert: _inert,
  shards: _shards,
  ...rest
}: RemoveScrollProps) {
  useEffect(() => {
    if (!enabled) return;
    const { classList, dataset } = document.documentElement;
    const count = Number(dataset.scrollLocks ?? 0) + 1;
    dataset.scrollLocks = String(count);
    classList.add(CLASS);
    return () => {
      const left = Number(dataset.scrollLocks ?? 1) - 1;
      dataset.scrollLocks = String(left);
      if (left === 0) classList.remove(CLASS);
    };
  }, [enabled]);
  return <div {...rest} />;
}

RemoveScroll.classNames = { fullWidth: 'tw-full-width', zeroRight: 'tw-zero-right' };
