export const isThorough = process.env.CAIRN_TEST_THOROUGH === 'true';

/** How often a property is tried: `count` times in a thorough run, a fifth of that in `npm test`. */
export function runs(count: number): number {
  return isThorough ? count : Math.ceil(count / 5);
}
