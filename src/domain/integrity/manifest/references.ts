import { Arena } from '../../arena.ts';
import { type Cid, cidUrn, codecs, parseCid } from '../identifiers/cid.ts';
import { CidSet } from '../identifiers/cid-set.ts';

/** What a manifest carries, and what it refers to. Millions of references take little more than their bytes. */
export class ManifestReferences {
  /** Blobs under any codec, and statements. */
  readonly #carried = new CidSet();
  readonly #referenced = new CidSet();
  /** Places and identifiers of references that a later statement or another hash of a blob may satisfy. */
  readonly #open = new Arena();
  readonly #openAt: number[] = [];
  readonly #openLengths: number[] = [];
  /** Those before it are carried by now. */
  #firstOpen = 0;

  /** Whether something refers to what is not carried yet. */
  get hasOpen(): boolean {
    while (this.#firstOpen < this.#openAt.length && this.carries(this.#openReference(this.#firstOpen).cid))
      this.#firstOpen += 1;
    return this.#firstOpen < this.#openAt.length;
  }

  carry(cid: Cid): void {
    this.#carried.add(kept(cid));
  }

  carries(cid: Cid): boolean {
    return this.#carried.has(kept(cid));
  }

  /** @param identifier a CID after `urn:cid:`. */
  refer(identifier: string, place: string): void {
    const cid = parseCid(identifier);
    if (!this.#referenced.add(cid) || this.carries(cid)) return;
    const bytes = Buffer.from(`${cid.text}${place}`);
    this.#openAt.push(this.#open.add([bytes]));
    this.#openLengths.push(bytes.length, cid.text.length);
  }

  /** Whether something refers to exactly this CID. */
  refersTo(cid: Cid): boolean {
    return this.#referenced.has(cid);
  }

  *missing(): Generator<{ readonly place: string; readonly identifier: string }> {
    for (const at of this.#openAt.keys()) {
      const { cid, place } = this.#openReference(at);
      if (!this.carries(cid)) yield { place, identifier: cidUrn(cid) };
    }
  }

  #openReference(at: number): { readonly cid: Cid; readonly place: string } {
    const [length = 0, cidLength] = this.#openLengths.slice(2 * at, 2 * at + 2);
    const text = this.#open.at(this.#openAt[at] ?? 0, length).toString();
    return { cid: parseCid(text.slice(0, cidLength)), place: text.slice(cidLength) };
  }
}

/** Ignores the codec of blobs. Ids of statements are kept apart, because they are not hashes of bytes. */
function kept({ codec, digest, multihash }: Cid) {
  return { codec: codec === codecs.rdfc ? codecs.rdfc : codecs.raw, digest, multihash };
}
