import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expiryIn, momentIn } from '../../src/domain/integrity/governance/dates.ts';
import { statementTime } from '../../src/domain/integrity/identifiers/timestamp.ts';
import { anyCharacter } from '../builders/any-text.ts';
import { runs } from '../property-runs.ts';

const moment = fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true });
/** Minutes east of UTC. */
const offset = fc.integer({ min: -(23 * 60 + 59), max: 23 * 60 + 59 });
const fraction = fc.stringMatching(/^(?:\.\d{1,20})?$/);

function zoneText(minutes: number): string {
  const size = Math.abs(minutes);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

function localText(time: Date, minutes: number): string {
  return new Date(time.getTime() + minutes * 60_000).toISOString().slice(0, 19);
}

describe('dates in requests', () => {
  test('a date-time in any zone is read as the same moment, cut to whole seconds', () => {
    const property = fc.property(moment, offset, fraction, (time, minutes, digits) => {
      const text = `${localText(time, minutes)}${digits}${zoneText(minutes)}`;
      expect(statementTime(momentIn(text, 'it'))).toBe(statementTime(time));
      expect(statementTime(momentIn(text.toLowerCase(), 'it'))).toBe(statementTime(time));
    });
    fc.assert(property, { numRuns: runs(1_000) });
  });

  test('an expiry is a moment in the future, and a date means its last second in UTC', () => {
    const property = fc.property(moment, moment, (time, now) => {
      const day = time.toISOString().slice(0, 10);
      const end = new Date(`${day}T23:59:59Z`);
      const read = () => expiryIn(day, 'it', now);
      if (end > now) expect(read()).toEqual(end);
      else expect(read).toThrow(`it "${day}" is in the past.`);
    });
    fc.assert(property, { numRuns: runs(1_000) });
  });

  test('other text is refused with its name, and never throws anything else', () => {
    const near = fc
      .tuple(moment, fc.nat(30), fc.string({ unit: anyCharacter, maxLength: 3 }))
      .map(([time, at, text]) => {
        const iso = time.toISOString();
        return iso.slice(0, at) + text + iso.slice(at + 1);
      });
    const property = fc.property(fc.oneof(near, fc.string({ unit: anyCharacter })), (text) => {
      for (const read of [momentIn, (given: string) => expiryIn(given, 'it', new Date(0))])
        try {
          expect(read(text, 'it').toISOString()).toMatch(/^\d{4}-.*\.000Z$/);
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(/^it /) });
        }
    });
    fc.assert(property, { numRuns: runs(2_000) });
  });
});
