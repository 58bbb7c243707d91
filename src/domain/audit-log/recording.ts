/**
 * When an operation is written to the audit log. `before`: its start before any change, and its outcome before the
 * answer. `after`: its outcome before the answer. `queued`: its outcome soon after the answer.
 */
export type Recording = 'none' | 'before' | 'after' | 'queued';
