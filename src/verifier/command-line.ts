/** The command line that does the same as the page. @param options an empty name is for arguments. */
export function commandLine(
  command: string,
  options: readonly (readonly [name: string, values: readonly string[]])[],
): string {
  const words = options.flatMap(([name, values]) =>
    values.flatMap((value) => [...(name === '' ? [] : [name]), quoted(value.trim())]),
  );
  return [command, ...words].join(' ');
}

/** For a shell. */
function quoted(word: string): string {
  return /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
