/** A clock that stands still until it is moved. */
export function stoppedClock(start = Date.now()) {
  let now = start;
  return {
    now: () => new Date(now),
    pass(milliseconds: number) {
      now += milliseconds;
    },
  };
}
