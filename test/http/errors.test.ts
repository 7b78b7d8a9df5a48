// Thrown errors become responses: temporary problems of the machine are 503 with Retry-After, unknown errors 500.
import { describe, expect, it } from 'vitest';
import { toAppError } from '../../src/http/unexpected-errors.ts';
import { ProgramReplaced } from '../../src/lib/replaced-program.ts';

const withCode = (code: string) => Object.assign(new Error('from below'), { code });

describe('a thrown error', () => {
  it.each([
    ['SQLITE_BUSY', 503, 'storage_backend_unavailable', '1'],
    ['SQLITE_BUSY_SNAPSHOT', 503, 'storage_backend_unavailable', '1'],
    ['SQLITE_FULL', 503, 'storage_backend_unavailable', '60'],
    ['ENOSPC', 503, 'storage_backend_unavailable', '60'],
    ['EDQUOT', 503, 'storage_backend_unavailable', '60'],
    ['SQLITE_IOERR_WRITE', 503, 'storage_backend_unavailable', '60'],
    ['SQLITE_IOERR_SHMSIZE', 503, 'storage_backend_unavailable', '60'],
    ['EMFILE', 503, 'storage_backend_unavailable', '5'],
    ['ENFILE', 503, 'storage_backend_unavailable', '5'],
    ['SQLITE_CANTOPEN', 503, 'storage_backend_unavailable', '60'],
    ['SQLITE_READONLY', 503, 'storage_backend_unavailable', '60'],
    ['SQLITE_CONSTRAINT_UNIQUE', 409, 'already_exists', undefined],
    ['SQLITE_CONSTRAINT_PRIMARYKEY', 409, 'already_exists', undefined],
    ['SQLITE_CONSTRAINT_FOREIGNKEY', 409, 'dependency_exists', undefined],
    ['SQLITE_CORRUPT', 500, 'internal_error', undefined],
    ['ECONNRESET', 500, 'internal_error', undefined],
  ])('%s is %i %s', (code, status, error, retryAfter) => {
    const { status: answered, code: word, headers, message } = toAppError(withCode(code));
    expect({ answered, word, retryAfter: headers['retry-after'] }).toEqual({
      answered: status,
      word: error,
      retryAfter,
    });
    expect(message).not.toContain('from below');
  });

  it('says only to the log that the files of the program were replaced', () => {
    const { status, code, message } = toAppError(new ProgramReplaced());
    expect({ status, code }).toEqual({ status: 500, code: 'internal_error' });
    expect(message).not.toContain('files');
  });
});
