// A printed page with a QR code. The rest of the page is hidden.
import { useEffect } from 'react';
import { createPortal } from 'react-dom';
import { QrCode } from './qr-code.tsx';

interface PrintSheetProps {
  title: string;
  /** Shown below the title, such as the name of the channel. */
  subtitle: string;
  /** What to do with the code. */
  hint: string;
  link: string;
  label: string;
  /** Called after printing. */
  onDone(): void;
}

const SIDE = 420;

/** Renders the page and prints it once the code is rendered. */
export function PrintSheet({ title, subtitle, hint, link, label, onDone }: PrintSheetProps) {
  useEffect(() => {
    document.body.classList.add('tw-printing');
    addEventListener('afterprint', onDone);
    let frame = requestAnimationFrame(function look() {
      if (document.querySelector('.tw-sheet svg') === null) frame = requestAnimationFrame(look);
      else print();
    });
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('afterprint', onDone);
      document.body.classList.remove('tw-printing');
    };
  }, [onDone]);
  return createPortal(
    <section className="tw-sheet" aria-hidden>
      <h1>{title}</h1>
      <p>{subtitle}</p>
      <QrCode text={link} label={label} size={SIDE} />
      <p>{hint}</p>
      <p className="tw-sheet-link">{link}</p>
    </section>,
    document.body,
  );
}
