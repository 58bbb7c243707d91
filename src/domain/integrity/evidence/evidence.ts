import type { JsonObject } from '../../json/is-object.ts';
import type { RunFacts } from '../runs/run-document.ts';

/** Something that evidence speaks about. It needs a digest, an identifier or a reference. */
export interface Thing {
  /** Default: that of its reference. Empty: nothing states its name. */
  readonly name?: string;
  /** Hex by algorithm, such as `sha256`, `blake3`, `sha512`, `gitCommit` or `md5`. */
  readonly digests?: Readonly<Record<string, string>>;
  /** Tells what has no digest apart, such as a table or a URL. It never passes for content. */
  readonly reference?: Reference;
  /** What it is called here: a DID, or the CID of a folder or a document. */
  readonly id?: string;
}

export interface Reference {
  /** Where the name means something, such as `postgres://db:5432` or `pkg`. */
  readonly namespace: string;
  readonly name: string;
  readonly version?: string;
  readonly run?: string;
}

/** A computation. */
export interface Step {
  readonly inputs: readonly Thing[];
  readonly outputs: readonly Thing[];
  /** What ran. */
  readonly program?: Thing;
  /** The machine or the builder, as a name. */
  readonly machine?: string;
  /** Values that were given to it, by the path of their file or another name. */
  readonly parameters?: readonly { readonly path: string; readonly values: JsonObject }[];
  /** What the page of the run shows, as for a recorded run. */
  readonly facts: RunFacts & { readonly name: string };
}

/** A thing that is made of others, such as a product of its components. */
export interface Whole {
  readonly whole: Thing;
  readonly parts: readonly Thing[];
}

/** What a document says about a thing. */
export interface Description {
  readonly about: Thing;
  readonly document: JsonObject;
}

/** The files of a folder, whose bytes need not be known. */
export interface FolderOfFiles {
  readonly folder: Thing;
  /** SHA-256 or BLAKE3 in hex, by path; none for a file whose digest is not known. */
  readonly files: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Paths that the folder may have beside them. */
  readonly ignored?: readonly string[];
}

/**
 * What a file says, in terms that all kinds of evidence share. The statements follow from it, from the DID of who brings it, and
 * from the time; so the same file gives the same statements.
 */
export interface Evidence {
  /** When it was made, if it says so. RFC 3339. */
  readonly time?: string;
  /** The file itself becomes metadata of these. */
  readonly about: readonly Thing[];
  readonly steps?: readonly Step[];
  readonly wholes?: readonly Whole[];
  readonly descriptions?: readonly Description[];
  /** Whether the file lists vulnerabilities, perhaps none. */
  readonly listsVulnerabilities?: boolean;
  readonly folders?: readonly FolderOfFiles[];
  /** A part of the file in another format, which must follow the official schema of this format. */
  readonly follows?: { readonly schema: string; readonly document: JsonObject; readonly place: string };
  /**
   * A DSSE envelope, or a Sigstore bundle, which vouches for everything above. A bundle is about the first thing of `about`, or
   * else the first output.
   */
  readonly signature?: SignedFile;
}

export type SignedFile = { readonly envelope: JsonObject } | { readonly bundle: JsonObject };

/** A format that Cairn reads. One file, with pure functions. */
export interface EvidenceKind {
  /** As the API says it, such as `in-toto`. */
  readonly name: string;
  /** For people, such as `in-toto statement`. */
  readonly title: string;
  /** Whether a JSON value is, or claims to be, of this kind. At most one kind says so of any value. */
  recognises(document: JsonObject): boolean;
  /**
   * The name of the official schema that a document must follow before it is read, such as `cyclonedx-1.6`.
   * @throws EvidenceProblem for a version that is not read here.
   */
  schema?(document: JsonObject): string;
  /**
   * For a format that is not JSON: the file as the document that `recognises` takes; undefined for other files. Libraries are
   * imported inside, so that only files of this kind load them.
   * @throws EvidenceProblem.
   */
  parse?(bytes: Uint8Array): Promise<JsonObject | undefined>;
  /**
   * @param blake3 of the file in hex, for things that mean nothing outside of it.
   * @returns several if the file has several signed documents in it.
   * @throws EvidenceProblem for what the format itself calls invalid.
   */
  read(
    document: JsonObject,
    blake3: string,
  ): Evidence | readonly Evidence[] | Promise<Evidence | readonly Evidence[]>;
}

/** Why a file is no valid evidence of its kind. */
export class EvidenceProblem extends Error {
  /** Where in the file: a JSON pointer, or empty for the whole. */
  readonly place: string;

  constructor(message: string, place = '') {
    super(message);
    this.place = place;
  }
}
