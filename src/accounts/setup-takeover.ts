// Setup on an installation where the address of the future operator already has an account.

import type { Tx } from '../core/context.ts';
import { type DeveloperRow, updateDeveloper } from '../developers/store.ts';
import { AppError } from '../lib/errors.ts';
import { fieldError } from '../lib/validation.ts';
import { createOrganizationIn } from '../organizations/service.ts';
import { markAddressVerified } from './email-verification.ts';
import type { CreatedDeveloper } from './service.ts';

export interface Takeover {
  /** The hash that the password of a verified account was checked against, or the hash of the new password. */
  passwordHash: string;
  displayName: string;
  organizationName: string;
}

/**
 * Makes an existing account the operator and creates its organization. Anyone may have created an unverified account,
 * so its password, sessions and factors are removed. Throws `operation_not_allowed` for an account scheduled for
 * deletion.
 */
export function makeOperator(
  tx: Tx,
  developer: DeveloperRow,
  { passwordHash, displayName, organizationName }: Takeover,
): CreatedDeveloper & { organizationId: string } {
  const { id: developerId, lockedAt, emailVerifiedAt } = developer;
  if (lockedAt !== null) {
    throw new AppError(
      'operation_not_allowed',
      'The account with this address is scheduled for deletion. Use another address',
    );
  }
  if (emailVerifiedAt === null) {
    markAddressVerified(tx, developer, 'setup');
    updateDeveloper(tx, developerId, { passwordHash, displayName });
  } else if (developer.passwordHash !== passwordHash) {
    // The password was changed, or the address was verified, while the password was being checked.
    throw fieldError(
      'body',
      ['password'],
      'value_error',
      'The password of this account was just changed. Enter it again',
    );
  }
  updateDeveloper(tx, developerId, { isOperator: true });
  tx.record('developer.edited', {
    identifier: developerId,
    organizationId: null,
    developerId,
    details: { fields: ['is_operator'], how: 'setup' },
  });
  return { developerId, organizationId: createOrganizationIn(tx, { name: organizationName, developerId }) };
}
