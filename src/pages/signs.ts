// Signs above the heading of a state: outline icons in the app's color. Decoration: the heading says the same.
import { type Html, html } from '../lib/html.ts';

const clock = html`<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3 2"/>`;
const phone = html`<rect x="6.500" y="3" width="11" height="18" rx="2.500"/><path d="M11 17.500h2"/>`;
const box = html`<path d="m12 3 8 4.500v9L12 21l-8-4.500v-9zm0 9 8-4.500M12 12v9m0-9L4 7.500"/>`;
const link = html`<path d="m9 15 6-6m-4-3 .5-.6a5 5 0 0 1 7 7L18 13m-5 5-.4.5a5.100 5.100 0 0 1-7.100 0 5 5 0 0 1 0-7.100L6 11"/>`;
const slash = html`<circle cx="12" cy="12" r="9"/><path d="m5.700 5.700 12.600 12.600"/>`;

const person = html`<circle cx="12" cy="8" r="4"/><path d="M4.500 20.500a7.500 7.500 0 0 1 15 0"/>`;
const lock = html`<rect x="5" y="11" width="14" height="10" rx="2"/><path d="M8 11V7a4 4 0 0 1 8 0v4"/>`;

/** The paths of each sign, by the state it stands for. */
const signs: Readonly<Record<string, Html>> = {
  os_too_old: html`<path d="M4 12a8 8 0 0 1 13.700-5.600L20 8.500M20 4v4.500h-4.500M20 12a8 8 0 0 1-13.700 5.600L4 15.500M4 20v-4.500h4.500"/>`,
  not_provisioned: html`${phone}<path d="m3 3 18 18"/>`,
  awaiting_build: clock,
  wrong_platform: phone,
  wrong_family: phone,
  in_app_browser: html`<circle cx="12" cy="12" r="9"/><path d="m15.500 8.500-2 5-5 2 2-5z"/>`,
  superseded: box,
  build_revoked: box,
  profile_expired: clock,
  not_installable: slash,
  https_needed: html`<rect x="5" y="11" width="14" height="10" rx="2"/><path d="M8 11V7a4 4 0 0 1 7.500-2"/>`,
  locked: html`<circle cx="12" cy="12" r="9"/><path d="M10 9v6m4-6v6"/>`,
  nothing_released: box,
  sign_in: person,
  no_access: lock,
  access_asked: clock,
  asked_too_often: clock,
  verify_email: html`<rect x="3" y="5" width="18" height="14" rx="2"/><path d="m3.500 7 8.500 6 8.500-6"/>`,
  two_factor_needed: lock,
  sign_in_otherwise: lock,
  link_expired: link,
  not_found: link,
  registered: html`<path d="m5 12.500 4.500 4.500L19 7"/>`,
  android: slash,
  trust: html`<path d="M12 3a12 12 0 0 0 8 3 12 12 0 0 1-8 15A12 12 0 0 1 4 6a12 12 0 0 0 8-3m-3 9 2 2 4-4"/>`,
};

/** Returns the sign of a state; null if it has none. */
export function signOf(state: string): Html | null {
  const paths = signs[state];
  return paths === undefined
    ? null
    : html`<div class="sign" aria-hidden="true"><svg viewBox="0 0 24 24" focusable="false">${paths}</svg></div>`;
}

/** A check mark in front of a line about something that works. */
export function checkMark(): Html {
  return html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><circle cx="12" cy="12" r="9"/><path d="m8.500 12 2.500 2.500 4.500-5"/></svg>`;
}
