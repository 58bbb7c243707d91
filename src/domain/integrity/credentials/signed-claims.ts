import type { Term } from 'rdf-canonize';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import { termsIri } from '../kinds/kind.ts';
import { cannotCheck } from '../proofs/proof.ts';
import type { SignedGraph } from '../proofs/signed-graph.ts';
import { type ProofCheck, type VerifyPorts, verifyProof } from '../proofs/verify-proof.ts';
import type { Credential } from './credential-records.ts';
import { listOf } from './credential-shape.ts';

const vocabularies = {
  credentials: 'https://www.w3.org/2018/credentials#',
  status: 'https://www.w3.org/ns/credentials/status#',
  status2021: 'https://w3id.org/vc/status-list#',
  /** Of names that no context defines, as drafts of credentials/v2 had it. */
  undefinedTerms: 'https://www.w3.org/ns/credentials/issuer-dependent#',
  own: termsIri,
};

type Vocabulary = keyof typeof vocabularies;

/** How JSON writes the values of a member. `nodes` are objects, or their IRIs. */
type Form = 'text' | 'texts' | 'number' | 'iri' | 'nodes';
type Member = readonly [form: Form, ...Vocabulary[]];
type Members = Readonly<Record<string, Member>>;

/** What counts of an object. */
interface Shape {
  readonly types: Readonly<Record<string, Vocabulary>>;
  readonly members: Members;
  /** Of objects in `nodes`. */
  readonly nodes?: Readonly<Record<string, Shape>>;
}

/** By the type of the credential, because other credentials use these names for something else. */
const subjects: Readonly<Record<string, Members>> = {
  BitstringStatusListCredential: { statusPurpose: ['texts', 'status'], encodedList: ['text', 'status'] },
  ProjectMembershipCredential: { project: ['iri', 'own'], role: ['texts', 'own'] },
  PolicyComplianceCredential: { project: ['iri', 'own'], policy: ['iri', 'own'] },
};

const statusEntry: Shape = {
  types: { BitstringStatusListEntry: 'status' },
  members: {
    statusPurpose: ['text', 'status', 'status2021'],
    statusListIndex: ['text', 'status', 'status2021'],
    statusListCredential: ['iri', 'status', 'status2021'],
    statusSize: ['number', 'status'],
  },
};

/** Every member by which Cairn decides something about a credential. A reader of one more adds it here. */
const credentialShape: Shape = {
  types: {
    VerifiableCredential: 'credentials',
    BitstringStatusListCredential: 'status',
    ProjectMembershipCredential: 'own',
    PolicyComplianceCredential: 'own',
  },
  members: {
    issuer: ['nodes', 'credentials'],
    validFrom: ['text', 'credentials'],
    validUntil: ['text', 'credentials'],
    issuanceDate: ['text', 'credentials'],
    expirationDate: ['text', 'credentials'],
    credentialSubject: ['nodes', 'credentials'],
    credentialStatus: ['nodes', 'credentials'],
  },
  nodes: { issuer: { types: {}, members: {} }, credentialStatus: statusEntry },
};

/** An object of a credential, read by the names in its JSON or by the IRIs that are signed. */
interface Source {
  readonly id: string | null;
  types(wanted: Shape['types']): readonly string[];
  values(name: string, member: Member): readonly unknown[];
  nodes(name: string, member: Member): readonly (Source | undefined)[];
}

/** What an object says, in an order and a form that do not depend on JSON. */
type Claims = Readonly<Record<string, unknown>>;

/**
 * Verifies the proof of a credential, and that the members by which Cairn decides say what is signed. Most proofs sign
 * RDF, and a context can give any name to any IRI, or hide it. So the credential is read twice: by the names in its JSON,
 * and from the signed RDF, where contexts have no say. The result is `unknown` if the two differ.
 */
export async function verifyCredentialProof(ports: VerifyPorts, credential: Credential): Promise<ProofCheck> {
  return await verifyProof(ports, credential, (graph) => {
    const written = claimsOf(inJson(credential), credentialShape);
    if (!graph) return;
    const root = graph.rootOfType(`${vocabularies.credentials}VerifiableCredential`);
    const signed = root ? claimsOf(inRdf(graph, root), credentialShape) : {};
    const differing = Object.keys(written).filter((name) => textOf(written[name]) !== textOf(signed[name]));
    if (differing.length > 0) cannotCheck({ code: 'members_not_covered', members: differing });
  });
}

function claimsOf(source: Source, { types, members, nodes = {} }: Shape): Claims {
  const known = distinct(source.types(types));
  const subject = {
    types: { BitstringStatusList: 'status' as const },
    members: Object.assign({}, ...known.map((type) => subjects[String(type)])),
  };
  const claims = Object.entries(members).map(([name, member]) => {
    if (member[0] !== 'nodes') return [name, distinct(source.values(name, member))];
    const within = source.nodes(name, member);
    return [name, distinct(within.map((one) => one && claimsOf(one, nodes[name] ?? subject)))];
  });
  return { id: source.id, type: known, ...Object.fromEntries(claims) };
}

/** RDF has sets, without order. */
function distinct(values: readonly unknown[]): readonly unknown[] {
  if (values.length < 2) return values;
  const byText = new Map(values.map((value) => [textOf(value), value]));
  return [...byText.keys()].sort().map((text) => byText.get(text));
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? '';
}

/** @throws ProofProblem for values in any other form, which JSON-LD permits and readers of names would miss. */
function inJson(object: JsonObject): Source {
  const list = (name: string) => listOf(object[name] ?? undefined);
  const { id = null } = object;
  if (id !== null && typeof id !== 'string') throwBadForm('id');
  return {
    id,
    types: (wanted) =>
      list('type')
        .map((type) => (typeof type === 'string' ? type : throwBadForm('type')))
        .filter((type) => Object.hasOwn(wanted, type)),
    values: (name, [form]) => {
      if (form !== 'texts' && Array.isArray(object[name])) throwBadForm(name);
      return list(name).map((value) => {
        if (typeof value === 'string' && form !== 'number') return value;
        return form === 'number' && Number.isSafeInteger(value) ? String(value) : throwBadForm(name);
      });
    },
    nodes: (name) =>
      list(name).map((value) => {
        if (typeof value === 'string') return inJson({ id: value });
        return isObject(value) ? inJson(value) : throwBadForm(name);
      }),
  };
}

function inRdf(graph: SignedGraph, node: Term): Source {
  const objects = (name: string, words: readonly Vocabulary[]) =>
    graph.objects(
      node,
      [...words, 'undefinedTerms' as const].map((word) => vocabularies[word] + name),
    );
  return {
    id: node.termType === 'NamedNode' ? node.value : null,
    types: (wanted) => {
      const iris = graph.types(node);
      const isType = ([name, word]: readonly [string, Vocabulary]) =>
        [word, 'undefinedTerms' as const].some((one) => iris.includes(vocabularies[one] + name));
      return Object.entries(wanted)
        .filter(isType)
        .map(([name]) => name);
    },
    values: (name, [form, ...words]) =>
      objects(name, words).map(({ termType, value }) =>
        termType === (form === 'iri' ? 'NamedNode' : 'Literal') ? value : { termType, value },
      ),
    nodes: (name, [, ...words]) =>
      objects(name, words).map((term) => (term.termType === 'Literal' ? undefined : inRdf(graph, term))),
  };
}

function throwBadForm(name: string): never {
  cannotCheck({ code: 'form_not_covered', member: name });
}
