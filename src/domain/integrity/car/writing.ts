import { createWriter, headerLength } from '@ipld/car/buffer-writer';
import { varint } from 'multiformats';
import { base32 } from 'multiformats/bases/base32';
import { CID } from 'multiformats/cid';
import type { Cid } from '../identifiers/cid.ts';

export function carHeader(root: Cid): Uint8Array {
  const roots = [CID.decode(base32.decode(root.text))];
  const buffer = new ArrayBuffer(headerLength({ roots }));
  return createWriter(buffer, { roots }).close();
}

/** The bytes before a block: the length of the section and the CID. */
export function sectionHead(cid: Cid, size: number): Uint8Array {
  const name = base32.decode(cid.text);
  const length = name.length + size;
  const head = new Uint8Array(varint.encodingLength(length) + name.length);
  varint.encodeTo(length, head);
  head.set(name, head.length - name.length);
  return head;
}
