import { z } from 'zod';

/**
 * Bytes of a record that are kept in a pack of the sealed contents. Read them with `readSealed`, which verifies them.
 */
export const sealedPart = z.object({
  /** The name of the pack. */
  name: z.string().min(1),
  /** Where the bytes start in the pack. */
  offset: z.int().min(0),
  size: z.int().min(0),
  /** The CID of the bytes. */
  cid: z.string().min(1),
});

export type SealedPart = Readonly<z.output<typeof sealedPart>>;

/** Sealed bytes with a media type that their sender chose. */
export const sealedBody = sealedPart.extend({ contentType: z.string().min(1) });

export type SealedBody = Readonly<z.output<typeof sealedBody>>;
