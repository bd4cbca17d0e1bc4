import { createHash } from 'node:crypto';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

/**
 * An answer that is the same for everybody and may be kept for so many seconds: 304 without a body to a caller that
 * names its ETag in `If-None-Match` (RFC 9110, 13.1.2).
 */
export function kept(body: string, seconds: number, ifNoneMatch = ''): APIGatewayProxyStructuredResultV2 {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const known = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  const isKnown = known.includes(etag) || known.includes('*');
  const headers = { etag, 'cache-control': `public, max-age=${seconds}` };
  return isKnown ? { statusCode: 304, body: '', headers } : { statusCode: 200, body, headers };
}
