import type { Context } from 'hono';
import { computedId, computeIdBody } from '../../contract/integrity/statements.ts';
import {
  computedRdfcCid,
  contextDocuments,
  jsonLdDocument,
  nquadsQuery,
} from '../../contract/integrity/utilities.ts';
import { plainText } from '../../contract/values.ts';
import { known } from '../../domain/access/access.ts';
import { ServiceError } from '../../domain/errors.ts';
import { throwEmpty } from '../../domain/integrity/identification/identify.ts';
import { cidOf, cidUrn, codecs } from '../../domain/integrity/identifiers/cid.ts';
import type { Identifier, JsonReader } from '../../domain/integrity/ports.ts';
import { assertOneAccepted } from '../../domain/integrity/statements/accepted.ts';
import type { App } from '../../platform/http/app.ts';
import { readyAnswer, wholeAnswer } from '../answering.ts';
import { jsonAnswer, jsonType } from '../answers.ts';
import { type RequestLimits, statementBody } from '../parsed-request.ts';
import { operation } from './operation.ts';
import { readComputeId } from './statements/statement-request.ts';

const tag = 'Utilities';
const schema = jsonLdDocument;
const document = { 'application/json': { schema }, 'application/ld+json': { schema } };

export interface UtilityRoutes {
  readonly identifier: Pick<Identifier, 'identify' | 'nquads'>;
  readonly json: Pick<JsonReader, 'readStatements'>;
  readonly staticContexts: () => Promise<ReadonlyMap<string, string>>;
  readonly limits: RequestLimits;
}

export function utilityRoutes(app: App, ports: UtilityRoutes): void {
  const { identifier, json, staticContexts, limits } = ports;

  operation(app, 'POST /utils/v1/integrity/statement/compute-id', {
    access: known,
    audit: 'none',
    tag,
    summary: 'Compute the id of a statement, and what it does not cover',
    body: { 'application/json': { schema: computeIdBody } },
    answers: { 200: jsonAnswer('The id. Nothing is stored', computedId) },
    handle: async ({ context }) => {
      const { body, ranges } = await readComputeId(json, await statementBody(context, limits), limits);
      const options = { generateId: true, strict: false, reportCoverage: true };
      const identified = await identifier.identify(body, ranges, options);
      assertOneAccepted(identified);
      const [row] = identified.rows;
      if (!row) throw new TypeError('A statement was neither identified nor refused.');
      const uncovered = identified.uncovered.flatMap(({ places }) => places);
      const { rdfcCid, jcsCid, jcs } = row;
      const about = { id: cidUrn(rdfcCid), rdfc_cid: rdfcCid.text, jcs_cid: jcsCid.text, uncovered };
      const before = Buffer.from(`${JSON.stringify(about).slice(0, -1)},"statement":`);
      return readyAnswer(context.body(Buffer.concat([before, jcs, Buffer.from('}')]), 200, jsonType));
    },
  });

  operation(app, 'POST /utils/v1/json-ld/rdfc_cid', {
    access: known,
    audit: 'none',
    tag,
    summary: 'Compute the RDFC-1.0 CID of a JSON-LD document',
    description: 'Computed from the whole document. Unlike in the id of a statement, a top-level @id counts.',
    body: document,
    answers: { 200: jsonAnswer('The CID', computedRdfcCid) },
    handle: async ({ context, answer }) => {
      const nquads = await identifier.nquads(await documentBody(context, limits), { canonical: true });
      if (nquads === '') throwEmpty('document');
      return answer(200, { rdfc_cid: cidOf(codecs.rdfc, nquads).text });
    },
  });

  operation(app, 'POST /utils/v1/json-ld/to-nquads', {
    access: known,
    audit: 'none',
    tag,
    summary: 'Convert a JSON-LD document to N-Quads',
    query: nquadsQuery,
    body: document,
    answers: { 200: { description: 'N-Quads', content: { 'application/n-quads': { schema: plainText } } } },
    handle: async ({ context, query }) => {
      const { canonical = true } = query;
      const nquads = await identifier.nquads(await documentBody(context, limits), { canonical });
      return wholeAnswer(context, nquads, { 'content-type': 'application/n-quads; charset=utf-8' });
    },
  });

  operation(app, 'GET /utils/v1/json-ld/static-contexts', {
    access: known,
    tag,
    summary: 'List the contexts that are trusted by name',
    description:
      'Bundled documents and those of the operator. Contexts that are stored as blobs are trusted too.',
    answers: { 200: jsonAnswer('Context documents by URL', contextDocuments) },
    handle: async ({ context }) => {
      const members = [...(await staticContexts())].map(([url, text]) => `${JSON.stringify(url)}:${text}`);
      return readyAnswer(context.body(`{${members.join(',')}}`, 200, jsonType));
    },
  });
}

/** JSON that starts with a brace or a bracket is an object or an array. */
async function documentBody(context: Context, limits: RequestLimits): Promise<Uint8Array> {
  const body = await statementBody(context, limits);
  const first = body.find((byte) => !blanks.has(byte));
  if (first === openBrace || first === openBracket) return body;
  throw new ServiceError('invalid_request', 'The body must be a JSON-LD document: a JSON object or array.');
}

const openBrace = 0x7b;
const openBracket = 0x5b;
const blanks = new Set(Buffer.from(' \t\r\n'));
