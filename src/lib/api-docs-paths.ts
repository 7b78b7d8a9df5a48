// Paths of the API documentation.

export const DOCS_PATH = '/api/docs';
export const OPENAPI_PATH = '/api/openapi.json';
