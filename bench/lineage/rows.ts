import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import type { StatementRow } from '../../src/domain/integrity/ports.ts';
import type { Reference } from '../../src/domain/integrity/statements/references.ts';

// Pipelines of depth 10. Each level has five computations. Each takes one output of every computation of
// the previous level and makes five. Each output has one more statement. Every tenth statement is about the hub.

export const depth = 10;
const width = 5;
const perLevel = width + width * width;
export const perPipeline = depth * perLevel;
const actors = Array.from({ length: 20 }, (_, at) => `did:web:actor-${at}.example`);
const contextSet = cidOf(codecs.raw, 'contexts').text;

export const artefact = (name: string) => cidUrn(cidOf(codecs.raw, name));
export const hub = artefact('hub');
export const output = (pipeline: number, level: number, maker: number, at: number) =>
  artefact(`${pipeline} ${level} ${maker} ${at}`);

/** One deterministic statement. */
export function statementRow(index: number): StatementRow {
  const own = index - Math.floor(index / 10);
  const fields =
    index % 10 === 9 ? aboutHub(index) : inPipeline(Math.floor(own / perPipeline), own % perPipeline);
  const { kind, ...values } = fields;
  const registeredBy = actors[index % actors.length] ?? '';
  const time = Date.UTC(2026, 0, 1) + index * 1_000;
  const statement = {
    '@context': 'urn:cid:bafkr4icploa577ziqnb57jlpoj7l2hi5kgt3knxpdtunlttjd3q33zeqpy',
    '@type': kind,
    registeredBy,
    timestamp: new Date(time).toISOString().replace('.000Z', 'Z'),
    ...values,
  };
  const jcs = Buffer.from(JSON.stringify(statement));
  return {
    jcsCid: cidOf(codecs.jcs, jcs),
    rdfcCid: cidOf(codecs.rdfc, jcs),
    jcs,
    kind,
    references: referencesOf({ registeredBy, ...values }),
    time,
    contextSet,
    isTrusted: true,
  };
}

type Fields = { readonly kind: string } & Readonly<Record<string, string | readonly string[]>>;

function aboutHub(index: number): Fields {
  return {
    kind: 'ComputationRegistration',
    input: [hub],
    output: artefact(`from hub ${index}`),
    operatedBy: actors[0] ?? '',
  };
}

function inPipeline(pipeline: number, at: number): Fields {
  const level = Math.floor(at / perLevel);
  const inLevel = at % perLevel;
  if (inLevel < width) return computation(pipeline, level, inLevel);
  const maker = Math.floor((inLevel - width) / width);
  const subject = output(pipeline, level, maker, inLevel % width);
  const other = artefact(`about ${pipeline} ${at}`);
  switch (at % 4) {
    case 0:
      return { kind: 'MetadataRegistration', subject, metadata: other };
    case 1:
      return { kind: 'AssociationRegistration', subject: other, association: [subject], type: 'includes' };
    case 2:
      return { kind: 'GovernanceRegistration', subject, document: other };
    default:
      return { kind: 'StorageRegistration', data: subject, storedOn: artefact(`store ${pipeline % 100}`) };
  }
}

function computation(pipeline: number, level: number, maker: number): Fields {
  const makers = Array.from({ length: width }, (_, at) => at);
  return {
    kind: 'ComputationRegistration',
    computation: artefact(`program ${level}`),
    input:
      level === 0
        ? [artefact(`${pipeline} raw ${maker}`)]
        : makers.map((at) => output(pipeline, level - 1, at, maker)),
    output: makers.map((at) => output(pipeline, level, maker, at)),
    operatedBy: actors[pipeline % actors.length] ?? '',
  };
}

function referencesOf(fields: Readonly<Record<string, string | readonly string[]>>): Reference[] {
  return Object.entries(fields)
    .filter(([role]) => role !== 'type')
    .flatMap(([role, value]) => [value].flat().map((identifier) => ({ role, identifier })));
}
