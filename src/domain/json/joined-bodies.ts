/** Several JSON texts as one body, with the start and end of each, in pairs. */
export function joinedBodies(parts: readonly Uint8Array[]): { body: Uint8Array; ranges: number[] } {
  let end = 0;
  const ranges = parts.flatMap(({ length }) => {
    end += length;
    return [end - length, end];
  });
  return { body: Buffer.concat(parts), ranges };
}
