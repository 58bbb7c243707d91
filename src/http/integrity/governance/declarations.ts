import type { z } from 'zod';
import {
  declarationBody,
  declarationParams,
  declared,
  reviewBody,
} from '../../../contract/integrity/governance.ts';
import { authorizeProject, onNamedProject } from '../../../domain/access/access.ts';
import {
  type DeclarationPorts,
  type Declared,
  declare,
  review,
  type Submission,
} from '../../../domain/integrity/governance/declarations.ts';
import type { JsonReader } from '../../../domain/integrity/ports.ts';
import type { JsonObject } from '../../../domain/json/is-object.ts';
import { note } from '../../../platform/audit-trail/entry.ts';
import type { App } from '../../../platform/http/app.ts';
import { errorAnswer, jsonAnswer } from '../../answers.ts';
import { operation } from '../operation.ts';
import { documentBody, tag } from './documents.ts';

const answers = {
  200: jsonAnswer('The statement of this service in the graph of the project', declared),
  400: errorAnswer('The subject is not registered, or the request is malformed'),
};

export type DeclarationRoutes = DeclarationPorts & { readonly json: Pick<JsonReader, 'jcs'> };

export function declarationRoutes(app: App, ports: DeclarationRoutes): void {
  operation(app, 'POST /gov/v1/controls/declaration/{subject_cid}/{project_uuid}', {
    access: onNamedProject('create_declarations'),
    tag,
    summary: 'Declare something about a subject',
    description:
      'Stores the body as a document and registers it with a GovernanceRegistration in the graph of the project. Repeats give the same answer.',
    params: declarationParams,
    body: { 'application/json': { schema: declarationBody } },
    answers,
    beginsLate: true,
    handle: async ({ context, answer, principal, params: { subject_cid: subject, project_uuid }, begin }) => {
      note(context, { target: project_uuid });
      await authorizeProject(principal, 'create_declarations', project_uuid);
      const { fields, document } = await documentBody(context, declarationBody, ports);
      await begin();
      const place = { subject, projectId: project_uuid };
      const submitted = submissionOf(fields, document);
      return answer(200, declaredJson(await declare(ports, principal, place, submitted)));
    },
  });

  operation(app, 'POST /gov/v1/controls/review/{subject_cid}/{project_uuid}', {
    access: onNamedProject('create_declarations'),
    tag,
    summary: 'Review a declaration',
    description: 'Without controlCid the review is about the controls of the declaration.',
    params: declarationParams,
    body: { 'application/json': { schema: reviewBody } },
    answers,
    beginsLate: true,
    handle: async ({ context, answer, principal, params: { subject_cid: subject, project_uuid }, begin }) => {
      note(context, { target: project_uuid });
      await authorizeProject(principal, 'create_declarations', project_uuid);
      const { fields, document } = await documentBody(context, reviewBody, ports);
      await begin();
      const { declarationCid, decision } = fields;
      const place = { subject, projectId: project_uuid };
      const submitted = { ...submissionOf(fields, document), declarationCid, decision };
      return answer(200, declaredJson(await review(ports, principal, place, submitted)));
    },
  });
}

function submissionOf(fields: z.output<typeof declarationBody>, document: JsonObject): Submission {
  const { submittedAt, submittedBy, controlCid, attachmentCid } = fields;
  const cids = { controlCids: controlCid ?? [], attachmentCids: attachmentCid ?? [] };
  return { document, submittedAt, submittedBy, ...cids };
}

function declaredJson({ documentCid, statement: { jcs, rdfcCid } }: Declared): z.output<typeof declared> {
  return { documentCid, statement: JSON.parse(new TextDecoder().decode(jcs)), statementCid: rdfcCid.text };
}
