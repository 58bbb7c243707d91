/** A body that is made while it is read; what it holds is given back when it ends, fails or is left. */
export function streamBody(
  bytes: AsyncIterable<Uint8Array>,
  holder: AsyncDisposable,
): ReadableStream<Uint8Array> {
  const chunks = bytes[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (!done) return controller.enqueue(value);
          await holder[Symbol.asyncDispose]();
          controller.close();
        } catch (error) {
          await holder[Symbol.asyncDispose]();
          throw error;
        }
      },
      async cancel() {
        await chunks.return?.();
        await holder[Symbol.asyncDispose]();
      },
    },
    { highWaterMark: 0 },
  );
}
