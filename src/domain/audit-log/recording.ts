/**
 * How an operation gets into the audit log. `before`: that it begins is stored before anything is changed, and how it
 * ended before the answer is sent. `after`: how it ended, before the answer. `queued`: soon after the answer, together
 * with others.
 */
export type Recording = 'none' | 'before' | 'after' | 'queued';

/** Whatever changes something, unless something else is said of it. */
export function usualRecording(operation: string): Recording {
  return /^(?:GET|HEAD) /.test(operation) ? 'none' : 'before';
}
