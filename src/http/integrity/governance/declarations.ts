import { z } from '@hono/zod-openapi';
import { cidParameter, cidText, uuidField } from '../../../contract/values.ts';
import { authorizeProject, onNamedProject } from '../../../domain/access/access.ts';
import {
  type DeclarationPorts,
  type Declared,
  declare,
  review,
  type Submission,
} from '../../../domain/integrity/governance/declarations.ts';
import type { Json } from '../../../domain/integrity/governance/documents.ts';
import { decisions } from '../../../domain/integrity/governance/governance-records.ts';
import type { JsonReader } from '../../../domain/integrity/ports.ts';
import { note } from '../../../platform/audit-trail/entry.ts';
import type { App } from '../../../platform/http/app.ts';
import { errorAnswer, jsonAnswer } from '../../answers.ts';
import { operation } from '../operation.ts';
import { cidList, dateText, didField, documentBody, tag } from './document-body.ts';

const submission = {
  submittedAt: dateText.openapi({ format: 'date-time', description: 'When. An RFC 3339 date-time' }),
  submittedBy: didField('submittedBy').describe(
    'Who, as a claim. The authenticated caller is recorded beside it',
  ),
  attachmentCid: cidList.describe('Documents that support it'),
  controlCid: cidList.describe('The controls that it is about'),
  documentType: z.string().nullish(),
  extra: z.record(z.string(), z.unknown()).nullish().describe('Any further properties'),
  statement: z.string().nullish(),
  subjectLine: z.string().nullish(),
};

const declarationBody = z.strictObject(submission).openapi('Declaration');
const reviewBody = z
  .strictObject({
    ...submission,
    declarationCid: cidParameter.describe('The documentCid of the declaration'),
    decision: z.enum(decisions),
    comment: z.string().nullish(),
  })
  .openapi('Review');

const statement = z.object({
  '@context': z.string(),
  '@id': z.string(),
  '@type': z.string(),
  document: z.string(),
  registeredBy: z.string(),
  subject: z.string(),
  timestamp: z.string(),
});

const declared = z
  .object({
    documentCid: cidText.describe('The JCS CID of the document'),
    statement,
    statementCid: cidText.describe('The rdfc_cid of the statement'),
  })
  .openapi('GovernanceStatement');

const params = z.object({ subject_cid: cidParameter, project_uuid: uuidField('project_uuid') });
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
    params,
    body: { 'application/json': { schema: declarationBody } },
    answers,
    beginsLate: true,
    handle: async ({ context, answer, principal, params: { subject_cid: subject, project_uuid }, begin }) => {
      note(context, { target: project_uuid });
      await authorizeProject(principal, 'create_declarations', project_uuid);
      const { fields, document } = await documentBody(context, declarationBody, ports);
      await begin();
      const place = { subject, projectId: project_uuid };
      return answer(
        200,
        declaredJson(await declare(ports, principal, place, submissionOf(fields, document))),
      );
    },
  });

  operation(app, 'POST /gov/v1/controls/review/{subject_cid}/{project_uuid}', {
    access: onNamedProject('create_declarations'),
    tag,
    summary: 'Review a declaration',
    description: 'Without controlCid the review is about the controls of the declaration.',
    params,
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

function submissionOf(
  {
    submittedAt,
    submittedBy,
    controlCid,
    attachmentCid,
  }: Pick<z.output<typeof declarationBody>, 'submittedAt' | 'submittedBy' | 'controlCid' | 'attachmentCid'>,
  document: Json,
): Submission {
  return {
    document,
    submittedAt,
    submittedBy,
    controlCids: controlCid ?? [],
    attachmentCids: attachmentCid ?? [],
  };
}

function declaredJson({ documentCid, statement: { jcs, rdfcCid } }: Declared): z.output<typeof declared> {
  return {
    documentCid,
    statement: JSON.parse(new TextDecoder().decode(jcs)),
    statementCid: rdfcCid.text,
  };
}
