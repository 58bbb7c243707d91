/**
 * How an operation gets into the audit log. `before`: that it begins is stored before anything is changed, and how it
 * ended before the answer is sent. `after`: how it ended, before the answer. `queued`: soon after the answer, together
 * with others.
 */
export type Recording = 'none' | 'before' | 'after' | 'queued';
