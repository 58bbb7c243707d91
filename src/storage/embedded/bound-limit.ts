/**
 * A limit that is bound. SQLite would prepare a query with a bare `LIMIT ?` again whenever values are bound, because a small limit
 * may change its plan, and that takes longer than most reads.
 */
export const boundLimit = 'LIMIT ? + 0';
