/** @param {string} id */
export function bareId(id) {
  return id.replace(/^urn:(?:cid|uuid):/, '');
}

/**
 * An identifier for reading: its ends, which tell it from others.
 * @param {string} id
 */
export function shortId(id) {
  const bare = bareId(id);
  if (bare.length <= 24) return bare;
  return `${bare.slice(0, bare.startsWith('did:') ? 14 : 9)}…${bare.slice(-6)}`;
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} many
 */
export function counted(count, one, many) {
  return `${count} ${count === 1 ? one : many}`;
}

/**
 * A moment for reading, by the reader's own clock and habits.
 * @param {string} time
 */
export function moment(time) {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}
