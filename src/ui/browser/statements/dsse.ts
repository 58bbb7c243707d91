import { type Json, objectIn } from './statements-api.ts';

/** The JSON that a DSSE envelope carries; undefined if it carries something else. */
export function payloadOf(envelope: unknown): Json | undefined {
  const { payload } = objectIn(envelope);
  try {
    const bytes = Uint8Array.from(atob(String(payload)), (one) => one.codePointAt(0) ?? 0);
    return objectIn(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/** The names of the subjects of an in-toto statement in an envelope. */
export function subjectNames(envelope: unknown): string[] {
  const subjects = [payloadOf(envelope)?.subject].flat().map((one) => objectIn(one).name);
  return subjects.filter((name) => typeof name === 'string');
}
