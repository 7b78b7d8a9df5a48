// Setup on an installation whose operator-to-be already has an account, or where somebody else has taken the address.

import type { Tx } from '../core/context.ts';
import { type DeveloperRow, updateDeveloper } from '../developers/store.ts';
import { AppError } from '../lib/errors.ts';
import { fieldError } from '../lib/validation.ts';
import { foundOrganization } from '../organizations/service.ts';
import { proveAddress } from './email-verification.ts';
import type { CreatedDeveloper } from './service.ts';

export interface Takeover {
  /** For a verified account the hash that its password was checked against; otherwise the hash of the new password. */
  passwordHash: string;
  displayName: string;
  organizationName: string;
}

/**
 * Makes an existing account the operator and creates its organization. Nobody knows who created an unverified one, so its
 * password, sessions and factors end. Throws operation_not_allowed for an account that waits to be deleted.
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
      'The account with this address is going to be deleted. Use another address',
    );
  }
  if (emailVerifiedAt === null) {
    proveAddress(tx, developer, 'setup');
    updateDeveloper(tx, developerId, { passwordHash, displayName });
  } else if (developer.passwordHash !== passwordHash) {
    // It was changed, or the address was verified, while the password was being checked.
    throw fieldError(
      'body',
      ['password'],
      'value_error',
      'The password of this account has just changed. Enter it again',
    );
  }
  updateDeveloper(tx, developerId, { isOperator: true });
  tx.record('developer.edited', {
    identifier: developerId,
    organizationId: null,
    developerId,
    details: { fields: ['is_operator'], how: 'setup' },
  });
  return { developerId, organizationId: foundOrganization(tx, { name: organizationName, developerId }) };
}
