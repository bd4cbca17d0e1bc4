import { config } from '../../shared/aws/config.ts';
import { checkTarget } from '../../shared/aws/dial.ts';
import { ValidationError } from '../../shared/domain/errors.ts';
import { RefusedTarget } from '../../shared/domain/webhooks/public-address.ts';

/** Throws 422 on `url` unless it leads to public addresses; each call checks it again. */
export async function checkUrl(url: string): Promise<void> {
  try {
    await checkTarget(url, { allowLoopback: config.webhookAllowLoopback });
  } catch (error) {
    if (error instanceof RefusedTarget) throw new ValidationError({ url: [error.message] });
    throw error;
  }
}
