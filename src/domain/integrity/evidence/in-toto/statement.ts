import { z } from 'zod';
import type { JsonObject } from '../../../json/is-object.ts';
import { type Evidence, type EvidenceKind, EvidenceProblem } from '../evidence.ts';
import { shaped } from '../shaped.ts';
import { adviceOnUnread } from '../unread.ts';
import { isLink, readLinkMetadata } from './link.ts';
import { readPredicate } from './predicates.ts';
import { digests, resource, thingOf } from './resource.ts';

const statementType = /^https:\/\/in-toto\.io\/Statement\//;
const versions = ['https://in-toto.io/Statement/v1', 'https://in-toto.io/Statement/v0.1'];

const statement = z.looseObject({
  _type: z.enum(versions),
  subject: z.array(resource.extend({ digest: digests })).min(1),
  predicateType: z.string().min(1),
  predicate: z.union([z.looseObject({}), z.string()], { error: 'must be an object' }).nullish(),
});

/** in-toto Statements v1 and v0.1, which nobody has signed. */
export const inTotoStatement: EvidenceKind = {
  name: 'in-toto',
  title: 'in-toto statement',
  recognises: isStatement,
  read: readStatement,
};

function isStatement({ _type: type }: JsonObject): boolean {
  return typeof type === 'string' && statementType.test(type);
}

/** @throws EvidenceProblem. */
export function readStatement(document: JsonObject): Evidence {
  if (isLink(document)) return readLinkMetadata(document);
  const unread = isStatement(document) ? undefined : adviceOnUnread(document);
  if (unread !== undefined) throw new EvidenceProblem(unread);
  const said = shaped(statement, document, 'The in-toto statement');
  return readPredicate(said, said.subject.map(thingOf));
}
