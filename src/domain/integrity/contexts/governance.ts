import governance1 from './published/governance-1.json' with { type: 'json' };
import { publishedContext } from './published.ts';

/** The terms of the credentials that governance issues, beside those of the W3C credentials context. */
export const governanceContext = publishedContext(governance1);

/** What new credentials of governance write in their `@context`. */
export const governanceContextUrl = governanceContext.url;
