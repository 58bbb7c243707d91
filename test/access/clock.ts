/** A clock that moves only on demand. */
export function stoppedClock(start = Date.now()) {
  let now = start;
  return {
    now: () => new Date(now),
    pass(milliseconds: number) {
      now += milliseconds;
    },
  };
}
