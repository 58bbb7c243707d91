import type { BlobContent, ByteRange, Staged } from './integrity/ports.ts';

/** Contents by name (letters, digits, `-` and `.`). They cannot be read by CID. */
export interface NamedContents {
  stage(): Promise<Staged<string>>;
  read(name: string, range?: ByteRange): Promise<BlobContent | undefined>;
  /** Harmless if the content does not exist. */
  remove(name: string): Promise<void>;
  names(): AsyncIterable<string>;
}
