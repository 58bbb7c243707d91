import { describe, test } from 'vitest';

/**
 * A suite that needs something beside this project. Without it the suite is skipped in one line, and fails where CI
 * runs.
 * @param absence what is missing, as a sentence that names the variable to set; false when everything is there.
 */
export function describeWith(absence: string | false, name: string, suite: () => void): void {
  if (absence !== false && process.env.CI === 'true') {
    test(name, () => {
      throw new Error(absence);
    });
  } else describeIfThere(absence, name, suite);
}

/** The same, and skipped where CI runs too. */
export function describeIfThere(absence: string | false, name: string, suite: () => void): void {
  if (absence === false) {
    describe(name, suite);
    return;
  }
  console.warn(`skipped: ${name}, because ${absence}`);
  test.skip(`${name}: ${absence}`);
}
