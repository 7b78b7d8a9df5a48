// Files dropped on the app. The browser must never open them instead of the app.
import { useEffect, useRef, useState } from 'react';

const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
const isFileField = ({ target }: Event) => target instanceof HTMLInputElement && target.type === 'file';

/** Prevents the browser from opening a file dropped outside of drop targets and file fields. */
export function preventFileNavigation(): void {
  addEventListener('dragover', (event) => {
    if (!holdsFiles(event) || isFileField(event)) return;
    event.preventDefault();
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'none';
  });
  addEventListener('drop', (event) => {
    if (holdsFiles(event) && !isFileField(event)) event.preventDefault();
  });
}

/** Handles files dropped anywhere in the window. Returns whether files are being dragged over it. */
export function useFileDrop(onFiles: (files: File[]) => void, isAllowed = true): boolean {
  const [isOver, setOver] = useState(false);
  const depth = useRef(0);
  const take = useRef(onFiles);
  take.current = onFiles;
  useEffect(() => {
    if (!isAllowed) return;
    const controller = new AbortController();
    const on = <Name extends 'dragenter' | 'dragleave' | 'dragover' | 'drop'>(
      name: Name,
      act: (event: DragEvent) => void,
    ) => {
      addEventListener(
        name,
        (event) => {
          if (!holdsFiles(event)) return;
          event.preventDefault();
          act(event);
          setOver(depth.current > 0);
        },
        { signal: controller.signal },
      );
    };
    on('dragenter', () => {
      depth.current += 1;
    });
    on('dragleave', () => {
      depth.current -= 1;
    });
    on('dragover', (event) => {
      if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'copy';
    });
    on('drop', (event) => {
      depth.current = 0;
      take.current([...(event.dataTransfer?.files ?? [])]);
    });
    return () => {
      controller.abort();
      depth.current = 0;
      setOver(false);
    };
  }, [isAllowed]);
  return isOver;
}
