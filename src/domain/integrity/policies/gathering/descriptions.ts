import { isObject, type JsonObject } from '../../../json/is-object.ts';
import { statementNode } from '../../lineage/edges.ts';
import { nameFor, subjectName } from '../../names/name.ts';
import { registrantOf } from '../../signatures/proven.ts';
import type { Knowledge } from './knowledge.ts';
import { goodSigners } from './signature-facts.ts';
import { inField } from './statements-about.ts';

/** A document that metadata gives a thing. */
export interface Description {
  readonly statement: string;
  /** Undefined if the document is lacking, so that nobody knows what it says. */
  readonly said: JsonObject | undefined;
  readonly name: string | undefined;
  readonly kind: string | undefined;
  readonly signers: ReadonlySet<string>;
}

/** What metadata says of a thing: what its registrant has signed first, then the newest. */
export function descriptionsOf(node: string, knowledge: Knowledge): Description[] {
  const all = knowledge.statements(node, 'MetadataRegistration').flatMap((one) => {
    const statement = statementNode(one);
    const [document = ''] = inField(one, 'metadata');
    const said = knowledge.documents.of(document);
    if (!said && !knowledge.documents.isLacking(document)) return [];
    const signers = goodSigners(knowledge.signed(statement).signatures);
    const isOwn = signers.has(registrantOf(one) ?? '');
    const found = {
      statement,
      said,
      name: said && nameFor(document, subjectName(said)),
      kind: said && kindIn(said),
      signers,
    };
    return [{ ...found, isOwn, time: one.time ?? 0 }];
  });
  return all.sort(
    (one, other) =>
      Number(other.isOwn) - Number(one.isOwn) ||
      other.time - one.time ||
      (one.statement < other.statement ? -1 : 1),
  );
}

/** Formats have words of their own for the same kinds. */
const sameKinds: Readonly<Record<string, string>> = {
  'machine-learning-model': 'model',
  data: 'dataset',
  ai_AIPackage: 'model',
  dataset_DatasetPackage: 'dataset',
};

function kindIn({ kind, type, component }: JsonObject): string | undefined {
  const inner = isObject(component) ? component.type : undefined;
  const found = [kind, type, inner].find((one) => typeof one === 'string');
  return found === undefined ? undefined : (sameKinds[found] ?? found);
}
