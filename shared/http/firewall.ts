import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { config } from '../aws/config.ts';
import { ApiError } from '../domain/errors.ts';
import { callerAddress, isThrough } from '../domain/teams/caller-address.ts';

type Event = Pick<APIGatewayProxyEventV2, 'headers' | 'requestContext'>;

/** The address of a request's caller, also behind the firewall. */
export const addressOf = ({ headers, requestContext: { http } }: Event): string =>
  callerAddress({ headers, sourceIp: http.sourceIp }, config.firewallSecret);

/** Throws 403 for a request that comes round the firewall of an installation that has one. */
export function requireFirewall({ headers }: Event): void {
  const { firewallSecret: secret, firewallOpen, baseUrl } = config;
  if (secret === undefined || firewallOpen || isThrough({ headers }, secret)) return;
  throw new ApiError(403, 'address_not_allowed', `Call the API at ${baseUrl}/v1: it has a firewall there.`);
}
