import { Logger } from '@aws-lambda-powertools/logger';

/** The structured logger; never give it bodies, headers, keys or addresses. */
export const log = new Logger();
