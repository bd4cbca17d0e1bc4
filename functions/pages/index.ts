import { servePages } from '../../shared/http/pages.ts';
import { confirmPages } from './confirm.ts';
import { docsPages } from './docs.ts';
import { reportPages } from './report.ts';
import { unsubscribePages } from './unsubscribe.ts';
import { waitlistPages } from './waitlist.ts';

export const pages = [...confirmPages, ...docsPages, ...reportPages, ...unsubscribePages, ...waitlistPages];
export const handler = servePages(pages);
