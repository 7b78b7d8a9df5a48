// The name and logo of the product.
import { Link } from '@tanstack/react-router';

/** A T painted as a junction of taxiways, in the colors of an airport sign. */
function Sign() {
  return (
    <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#16181d" />
      <path
        d="M6 9h20M16 9c0 5 0 9 0 16M9 9c5 0 7 3 7 8m7-8c-5 0-7 3-7 8"
        fill="none"
        stroke="#fcc618"
        strokeWidth="2.6"
        strokeLinecap="round"
      />
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
