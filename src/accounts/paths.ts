// The addresses of the links in emails.

export const VERIFY_PATH = '/api/v1/developers/verify_email';
export const RESET_PATH = '/api/v1/login/password_reset/confirm';
