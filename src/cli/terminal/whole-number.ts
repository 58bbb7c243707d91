import { InvalidArgumentError } from 'commander';

/** Reads the value of an option. @throws InvalidArgumentError, which ends the command as wrong usage. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}
