// The name and logo of the product.
import { Link } from '@tanstack/react-router';

function Sign() {
  return (
    <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#0b4da2" />
      <path d="M16 5v4m0 4v6m0 4v4" stroke="#ffd84d" strokeWidth="2.6" strokeLinecap="round" />
      <path d="M7 27 11 5m14 22L21 5" stroke="#fff" strokeWidth="2.6" strokeLinecap="round" />
    </svg>
  );
}

/** Links to the projects. */
export function Logo() {
  return (
    <Link to="/" className="tw-brand">
      <Sign />
      Taxiway
    </Link>
  );
}
