import type { Context } from 'hono';
import type { z } from 'zod';
import { policyBody, policyCids, subjectBody } from '../../../contract/integrity/governance.ts';
import { cidText } from '../../../contract/values.ts';
import {
  anywhere,
  authorizeOrganization,
  authorizeProject,
  onNamedProject,
  type Principal,
} from '../../../domain/access/access.ts';
import {
  type DocumentPorts,
  registerPolicy,
  registerSubject,
} from '../../../domain/integrity/governance/documents.ts';
import { rulesIn } from '../../../domain/integrity/governance/policy-rules.ts';
import { uuidIn } from '../../../domain/integrity/identifiers/identifiers.ts';
import type { JsonReader } from '../../../domain/integrity/ports.ts';
import type { JsonObject } from '../../../domain/json/is-object.ts';
import { note } from '../../../platform/audit-trail/entry.ts';
import type { App } from '../../../platform/http/app.ts';
import { assertContentType, readBody } from '../../../platform/http/body.ts';
import { readyAnswer } from '../../answering.ts';
import { jsonAnswer } from '../../answers.ts';
import { parsed } from '../../parsed-request.ts';
import { operation } from '../operation.ts';
import { usablePolicy } from '../policy-reading.ts';

export type DocumentRoutes = DocumentPorts & { readonly json: Pick<JsonReader, 'jcs'> };

export function documentRoutes(app: App, ports: DocumentRoutes): void {
  operation(app, 'POST /gov/v1/cid/subject', {
    access: onNamedProject('apply_policies'),
    tag,
    summary: 'Register the document of a subject',
    description:
      'Needs apply_policies on the project that id names, otherwise at organizationId, otherwise in any organization of the caller. The document is the RFC 8785 form of the body without null members.',
    body: { 'application/json': { schema: subjectBody } },
    answers: {
      200: {
        description: 'The JCS CID of the document, bare',
        content: { 'text/plain': { schema: cidText } },
      },
    },
    beginsLate: true,
    handle: async ({ context, principal, begin }) => {
      const { fields, document } = await documentBody(context, subjectBody, ports);
      note(context, { target: fields.id });
      await authorizeSubject(principal, fields);
      await begin();
      const cid = await registerSubject(ports, principal, document);
      return readyAnswer(context.body(cid, 200, { 'content-type': 'text/plain; charset=utf-8' }));
    },
  });

  operation(app, 'POST /gov/v1/cid/policy', {
    access: anywhere('create_declarations'),
    tag,
    summary: 'Register a policy and its controls',
    description:
      'Stores each of them in its RFC 8785 form. A control can carry a rule of a policy in its member rule, such as {"title": …, "rule": {"require": …}}, and the policy signers and log. They must be usable.',
    body: { 'application/json': { schema: policyBody } },
    answers: { 200: jsonAnswer('The JCS CIDs of the policy and its controls', policyCids) },
    handle: async ({ context, answer, principal }) => {
      const { document } = await documentBody(context, policyBody, ports);
      // As sent: parsing with a schema would drop a member named __proto__.
      const { policy, controls = [] } = document as { policy: JsonObject; controls?: JsonObject[] };
      const rules = rulesIn(policy, controls);
      if (rules) usablePolicy(rules, { isText: false });
      return answer(200, await registerPolicy(ports, principal, { policy, controls }));
    },
  });
}

async function authorizeSubject(principal: Principal, { id, organizationId }: z.output<typeof subjectBody>) {
  const project = uuidIn(id);
  if (project === undefined)
    return await authorizeOrganization(principal, 'apply_policies', organizationId ?? null);
  await authorizeProject(principal, 'apply_policies', project);
}

/** Larger documents would be parsed on the main thread for too long. */
const bodyLimit = 1 << 20;

export const tag = 'Governance';

/** A JSON body that becomes a document, read strictly and off the main thread. Null members count as absent. */
export async function documentBody<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
  { json }: { readonly json: Pick<JsonReader, 'jcs'> },
): Promise<{ fields: z.output<Schema>; document: JsonObject }> {
  assertContentType(context, ['application/json', 'application/ld+json'], true);
  const { text } = await json.jcs(await readBody(context, { bytes: bodyLimit, setting: null }));
  const body = JSON.parse(new TextDecoder().decode(text));
  const fields = parsed(schema, body, 'The body');
  const members = Object.entries(body).filter(([, value]) => value !== null);
  return { fields, document: Object.fromEntries(members) };
}
