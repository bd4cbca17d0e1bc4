import { servePages } from '../../shared/http/pages.ts';
import { confirmPages } from './confirm.ts';
import { unsubscribePages } from './unsubscribe.ts';

export const pages = [...confirmPages, ...unsubscribePages];
export const handler = servePages(pages);
