import { isObject, type JsonObject } from '../../../json/is-object.ts';
import { yieldToEventLoop } from '../../../yield-to-event-loop.ts';
import { cidIn } from '../../identifiers/cid.ts';
import { documentLimit, parsedDocument } from '../../names/name.ts';
import type { FactPorts } from './ports.ts';

/** The JSON documents that statements name. */
export interface Documents {
  /** Undefined if it is no small JSON object, or is not there. */
  readonly of: (id: string) => JsonObject | undefined;
  /** Whether its bytes were read. */
  readonly isRead: (id: string) => boolean;
  /** Whether it may say something that was not read. Of known bytes that are too many for a document, nothing is lacking. */
  readonly isLacking: (id: string) => boolean;
}

const documentsAtOnce = 100;
/** Parsed documents take several times their bytes. */
const mostBytes = 64 << 20;

/** Reads the documents of these identifiers, within a limit. */
export async function readDocuments(
  { documents, sameBytes }: Pick<FactPorts, 'documents' | 'sameBytes'>,
  ids: Iterable<string>,
): Promise<Documents> {
  const parsed = new Map<string, JsonObject | undefined>();
  const asked = [...new Set(ids)].flatMap((id) => {
    const cid = cidIn(id);
    return cid ? [{ id, cid }] : [];
  });
  let bytes = 0;
  for (let at = 0; at < asked.length && bytes < mostBytes; at += documentsAtOnce) {
    const some = asked.slice(at, at + documentsAtOnce);
    const found = await documents(
      some.map(({ cid }) => cid),
      documentLimit,
    );
    for (const [offset, { id }] of some.entries()) {
      const read = found[offset];
      if (!read) continue;
      bytes += read.length;
      const document = parsedDocument(read);
      parsed.set(id, isObject(document) ? document : undefined);
    }
    await yieldToEventLoop();
  }
  const unread = asked.filter(({ id }) => !parsed.has(id)).map(({ id }) => id);
  const known = await sameBytes.of(unread);
  const lacking = new Set(unread.filter((id) => (known.get(id)?.size ?? 0) <= documentLimit));
  return {
    of: (id) => parsed.get(id),
    isRead: (id) => parsed.has(id),
    isLacking: (id) => lacking.has(id),
  };
}
