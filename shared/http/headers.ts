const yearSeconds = 31_536_000;

/** Headers of every response of the API and of pages; browsers keep to https where that is the address. */
export const securityHeaders = (baseUrl: string): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  ...(baseUrl.startsWith('https:') && { 'strict-transport-security': `max-age=${yearSeconds}` }),
});
