import { servePages } from '../../shared/http/pages.ts';
import { unsubscribePages } from './unsubscribe.ts';

export const pages = [...unsubscribePages];
export const handler = servePages(pages);
