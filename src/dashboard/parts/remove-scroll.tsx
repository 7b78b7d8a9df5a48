// Stands in for react-remove-scroll in the bundle: the original locks the page by a style element, which the content
// security policy forbids. This one does it by a class.
import { type ComponentProps, useEffect } from 'react';

const CLASS = 'tw-scroll-locked';

interface RemoveScrollProps extends ComponentProps<'div'> {
  enabled?: boolean;
  /** Of the original's interface; without meaning here. */
  removeScrollBar?: boolean;
  allowPinchZoom?: boolean;
  noIsolation?: boolean;
  inert?: boolean;
  shards?: unknown;
}

/** Keeps the page behind from scrolling while it is shown and enabled. */
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
