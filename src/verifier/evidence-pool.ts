import { xmlTree } from '../../workers/evidence-formats/xml-tree.ts';
import { ServiceError } from '../domain/errors.ts';
import {
  type EvidenceReader,
  type FormatLibraries,
  type ReadEvidence,
  readEvidence,
} from '../domain/integrity/evidence/reading.ts';
import { cyclonedxFromXml } from '../domain/integrity/evidence/sbom/cyclonedx-xml.ts';

// Reads files of evidence in place of `workers/evidence-pool.ts`, in the worker that verifies.

const formatLibraries: FormatLibraries = {
  fromXml: async (file, maxDepth) => cyclonedxFromXml(xmlTree(file, maxDepth)),
  /** Libraries for schemas make code while they run, which the page forbids. A rule could look for what is not read. */
  async assertFollows(schema) {
    const message = `The policy asks for a document that has to follow the schema ${schema}, which this page cannot check.`;
    throw new ServiceError('unavailable', `${message} Use the command below.`);
  },
};

export class EvidencePool implements EvidenceReader, AsyncDisposable {
  readonly #maxDepth: number;

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
  }

  async read(file: Uint8Array, kind?: string): Promise<ReadEvidence> {
    return await readEvidence(file, this.#maxDepth, formatLibraries, kind);
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
