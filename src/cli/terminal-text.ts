const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Words of strangers, so that nothing in them can steer a terminal: what is not printed is shown by its number. */
export function terminalText(text: string): string {
  return text.replaceAll(unprintable, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** The same JSON without any character that could steer a terminal. */
export function terminalJson(json: string): string {
  return json.replaceAll(/[^\P{C}\n\r\t]|[\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => jsonEscape(character.charCodeAt(at))).join(''),
  );
}

function jsonEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
