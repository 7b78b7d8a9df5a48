// Asks before a page is left whose forms have input that wasn't saved.
import { useBlocker } from '@tanstack/react-router';
import { ConfirmDialog } from '../components/confirm.tsx';
import { useTexts } from '../texts/locale.ts';

/**
 * Returns whether a form has input that leaving the page would lose. That of a form that is being sent isn't lost: if it
 * fails, a toast shows the error.
 */
export function hasUnsavedInput(): boolean {
  return document.querySelector('form[data-edited]:not([data-sending])') !== null;
}

interface LeaveDialogProps {
  isOpen: boolean;
  onLeave(): void;
  onClose(): void;
}

/** Renders the question whether to leave the page. */
export function LeaveDialog({ isOpen, onLeave, onClose }: LeaveDialogProps) {
  const t = useTexts().settings.unsaved;
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t.title}
      action={t.leave}
      onClose={onClose}
      onConfirm={() => Promise.resolve(onLeave())}
    >
      {t.text}
    </ConfirmDialog>
  );
}

// Outside of the component, because the router would block again whenever they change.
const leavesInput = ({ current, next }: { current: { pathname: string }; next: { pathname: string } }) =>
  current.pathname !== next.pathname && hasUnsavedInput();

/** Asks when another page is opened. When the tab is closed or the page is loaded again, the browser asks. */
export function UnsavedInput() {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: leavesInput,
    enableBeforeUnload: hasUnsavedInput,
    withResolver: true,
  });
  return <LeaveDialog isOpen={status === 'blocked'} onLeave={() => proceed?.()} onClose={() => reset?.()} />;
}
