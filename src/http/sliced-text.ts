import { yieldToEventLoop } from '../domain/yield-to-event-loop.ts';

const chunkLength = 1 << 16;
const utf8 = new TextEncoder();

/** The UTF-8 of a long text. It is made piece by piece, so that other requests can run meanwhile. */
export async function slicedText(pieces: Iterable<string | Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let text = '';
  const flush = () => {
    chunks.push(utf8.encode(text));
    text = '';
  };
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      text += piece;
      if (text.length >= chunkLength) flush();
    } else {
      flush();
      chunks.push(piece);
    }
    await yieldToEventLoop();
  }
  flush();
  return Buffer.concat(chunks);
}
