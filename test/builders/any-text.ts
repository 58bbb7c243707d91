import fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };
const last = 0x10_ffff - surrogates.count;

/**
 * Any character, as the unit of a text. fast-check's unit `binary` has the same ones, but lists them all in a table, which
 * takes a second and 100 MB.
 */
export const anyCharacter = fc.nat({ max: last }).map(
  (at) => String.fromCodePoint(at < surrogates.first ? at : at + surrogates.count),
  (character) => {
    const [point, ...more] = Array.from(String(character), (one) => one.codePointAt(0) ?? 0);
    if (point === undefined || more.length > 0 || !String(character).isWellFormed())
      throw new TypeError('It is not one character.');
    return point < surrogates.first ? point : point - surrogates.count;
  },
);
