// Errors of fields that the app finds itself. Not with the other errors, which every first visit loads.
import { ApiError, OWN_TEXT } from './errors.ts';

/** Returns an error that is shown at a field, with a text of the app. Without a status, no request was sent for the input. */
export function fieldProblem(field: string, message: string, code = 'validation_error', status = 400): ApiError {
  const errors = [{ loc: ['body', field], type: OWN_TEXT, msg: message }];
  return new ApiError(status, { error: code, message, details: { errors } }, new Headers());
}
