import { entryTerms } from '../integrity/search/terms.ts';

/**
 * The terms of records, by the name of their collection. Apart from the declarations, because the thread that writes would
 * load all of them, and take twice as long to start.
 */
export const recordTerms = { search_entries: entryTerms };
