import {
  didParams,
  didQuery,
  formQuery,
  putBatchBody,
  putStatementBody,
  registeredDid,
  statementParams,
  storedBatch,
  storedStatement,
} from '../../../contract/integrity/statements.ts';
import { jsonObject, plainText } from '../../../contract/values.ts';
import { anywhere, onProject } from '../../../domain/access/access.ts';
import type { ContentPorts } from '../../../domain/integrity/blobs/content.ts';
import { cidUrn } from '../../../domain/integrity/identifiers/cid.ts';
import type { JsonReader, StatementStore } from '../../../domain/integrity/ports.ts';
import type { IssuedCredential } from '../../../domain/integrity/signatures/issue.ts';
import { type DidRegistration, registerDid } from '../../../domain/integrity/statements/did-registration.ts';
import { readStatement, type StatementReading } from '../../../domain/integrity/statements/read-statement.ts';
import {
  putStatements,
  type StatementWriting,
  statementNQuads,
} from '../../../domain/integrity/statements/statements.ts';
import type { App } from '../../../platform/http/app.ts';
import { readyAnswer, wholeAnswer } from '../../answering.ts';
import { accepts, errorAnswer, jsonAnswer, jsonType, notAcceptable, notModified } from '../../answers.ts';
import { isNotModified } from '../../byte-answer.ts';
import { jsonBody, type RequestLimits, statementBody } from '../../parsed-request.ts';
import { operation } from '../operation.ts';
import { readPutBatch, readPutStatement } from './statement-request.ts';

const tag = 'Statements';

export type StatementRoutes = StatementWriting &
  StatementReading &
  DidRegistration &
  Pick<ContentPorts, 'identifier' | 'contexts'> & {
    readonly statements: StatementStore;
    readonly json: Pick<JsonReader, 'readStatements'>;
    readonly limits: RequestLimits;
  };

export function statementRoutes(app: App, ports: StatementRoutes): void {
  const { limits } = ports;

  operation(app, 'PUT /statements/v1', {
    access: onProject('create_declarations'),
    audit: 'queued',
    tag,
    summary: 'Store a statement',
    body: { 'application/json': { schema: putStatementBody } },
    answers: {
      201: jsonAnswer('Stored, or newly registered in the graph', storedStatement),
      200: jsonAnswer('The statement was already stored', storedStatement),
    },
    handle: async ({ context, answer, principal }) => {
      const request = await readPutStatement(ports.json, await statementBody(context, limits), limits);
      const { names, isNew, issued } = await putStatements(ports, principal, request);
      const [name] = names;
      if (!name) throw new TypeError('A statement was neither stored nor refused.');
      const { jcs_cid, rdfc_cid } = name;
      return answer(isNew ? 201 : 200, { jcs_cid, rdfc_cid, ...issuedJson(issued?.[0]) });
    },
  });

  operation(app, 'PUT /statements/v1/batch', {
    access: onProject('create_declarations'),
    audit: 'queued',
    tag,
    summary: 'Store several statements, all or none',
    body: { 'application/json': { schema: putBatchBody } },
    answers: {
      201: jsonAnswer('Stored. Results are in the order of the request', storedBatch),
      200: jsonAnswer('All statements were already stored', storedBatch),
      400: errorAnswer('Refused. details lists up to 100 bad statements with their index'),
    },
    handle: async ({ context, answer, principal }) => {
      const request = await readPutBatch(ports.json, await jsonBody(context, limits), limits);
      const { names, isNew, issued } = await putStatements(ports, principal, request);
      const status = isNew ? 201 : 200;
      if (!issued) return readyAnswer(context.body(`{"results":${names.json()}}`, status, jsonType));
      const results = Array.from(names, (name, at) => ({ ...name, ...issuedJson(issued[at]) }));
      return answer(status, { results });
    },
  });

  operation(app, 'GET /statements/v1/id/{id}', {
    access: anywhere('view_project_data'),
    tag,
    summary: 'Read a statement',
    description: 'As JSON in RFC 8785 form, or as canonical N-Quads with Accept: application/n-quads.',
    params: statementParams,
    query: formQuery,
    answers: {
      200: {
        description: 'The statement',
        content: { 'application/json': { schema: jsonObject }, 'application/n-quads': { schema: plainText } },
      },
      304: notModified,
      404: errorAnswer('The statement does not exist'),
      406: notAcceptable,
    },
    handle: async ({ context, answer, principal, params, query }) => {
      const statement = await readStatement(ports, principal.grants, params.id, query.jcs_cid);
      context.header('vary', 'Accept');
      const type = accepts(context, ['application/json', 'application/ld+json', 'application/n-quads']);
      const isQuads = type === 'application/n-quads';
      const etag = `"${(isQuads ? statement.rdfcCid : statement.jcsCid).text}"`;
      if (isNotModified(context, etag)) return answer(304, undefined, { etag });
      if (isQuads) {
        const nquads = await statementNQuads(ports.identifier, ports.contexts, statement);
        return wholeAnswer(context, nquads, { 'content-type': 'application/n-quads; charset=utf-8', etag });
      }
      return wholeAnswer(context, statement.jcs, { 'content-type': 'application/json', etag });
    },
  });

  operation(app, 'PUT /statements/v1/create/did/{did_key}', {
    access: onProject('create_declarations'),
    audit: 'queued',
    tag,
    summary: 'Make and store a DidRegistration',
    params: didParams,
    query: didQuery,
    answers: {
      201: jsonAnswer('Registered', registeredDid),
      200: jsonAnswer('This service already registered the DID in that graph', registeredDid),
    },
    handle: async ({ answer, principal, params, query }) => {
      const { statement, isNew } = await registerDid(ports, principal, {
        did: params.did_key,
        graphId: query.graph_id ?? null,
      });
      const { rdfcCid, jcsCid, jcs } = statement;
      return answer(isNew ? 201 : 200, {
        statement_id: cidUrn(rdfcCid),
        jcs_cid: jcsCid.text,
        rdfc_cid: rdfcCid.text,
        statement: JSON.parse(Buffer.from(jcs).toString()),
      });
    },
  });
}

function issuedJson(issued: IssuedCredential | undefined) {
  return issued && { credential_id: issued.credentialId, credential_cid: issued.credentialCid };
}
