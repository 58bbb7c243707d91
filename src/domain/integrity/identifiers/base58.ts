const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const digitsOfGroup = 5;
/** 58⁵. Its product with 2¹⁶ is exact. */
const group = alphabet.length ** digitsOfGroup;

/**
 * Multibase base58btc, with its `z`, of short bytes such as a signature. Working with groups of digits and pairs of bytes
 * takes a third of the time of the library.
 */
export function base58Text(bytes: Uint8Array): string {
  const groups: number[] = [];
  const isOdd = bytes.length % 2 === 1;
  for (let at = isOdd ? -1 : 0; at < bytes.length; at += 2) {
    let carry = (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
    for (let place = 0; place < groups.length; place += 1) {
      const sum = (groups[place] ?? 0) * 65_536 + carry;
      carry = Math.floor(sum / group);
      groups[place] = sum - carry * group;
    }
    if (carry > 0) groups.push(carry);
  }
  let digits = '';
  for (const value of groups)
    for (let [left, count] = [value, 0]; count < digitsOfGroup; count += 1) {
      const next = Math.floor(left / 58);
      digits = alphabet[left - next * 58] + digits;
      left = next;
    }
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return `z${'1'.repeat(zeros < 0 ? bytes.length : zeros)}${digits.replace(/^1+/, '')}`;
}
