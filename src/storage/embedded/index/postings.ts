/** A set of statements by `seq`, asked from the newest down. */
export interface Postings {
  /** The greatest member below `seq`. */
  below(seq: number): number | undefined;
}

export function union(parts: readonly Postings[]): Postings {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  return {
    below(seq) {
      let newest: number | undefined;
      for (const part of parts) {
        const found = part.below(seq);
        if (found !== undefined && (newest === undefined || found > newest)) newest = found;
      }
      return newest;
    },
  };
}

/** One look of a walk: the walk is past everything from `seq` up, and `seq` is in all parts or it is not. */
export interface Step {
  readonly seq: number;
  readonly isMember: boolean;
}

/**
 * Walks through what is in all of the parts, newest first. Each part is asked for its next member below the
 * lowest that any of them has answered, so that a rare one leaps over what is frequent in the others.
 */
export function* intersection(parts: readonly Postings[], below: number): Generator<Step, void> {
  let bound = below;
  while (true) {
    let lowest = bound;
    let agreeing = 0;
    for (const part of parts) {
      const found = part.below(lowest === bound ? bound : lowest + 1);
      if (found === undefined) return;
      agreeing = found === lowest ? agreeing + 1 : 1;
      lowest = found;
    }
    const isMember = agreeing === parts.length;
    yield { seq: lowest, isMember };
    bound = isMember ? lowest : lowest + 1;
  }
}
