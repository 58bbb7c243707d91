import { ServiceError } from '../../../errors.ts';
import { isObject, type JsonObject } from '../../../json/is-object.ts';
import { listOf } from '../../credentials/credential-shape.ts';
import type { Evidence } from '../../evidence/evidence.ts';
import type { EvidenceReader } from '../../evidence/reading.ts';
import { identified } from '../../evidence/things.ts';
import type { Cid } from '../../identifiers/cid.ts';
import type { Fact } from '../facts.ts';
import { severities } from '../facts-table/evidence.ts';

/** Formats that list components or vulnerabilities. */
const billKinds = new Set([
  'cyclonedx',
  'spdx-2',
  'spdx-3',
  'in-toto',
  'dsse',
  'sigstore-bundle',
  'attestations',
]);

/** What a file lists. */
export interface Bill {
  readonly components: readonly Component[];
  readonly vulnerabilities: readonly Vulnerability[];
  readonly listsVulnerabilities: boolean;
}

export type Component = Omit<Fact<'component'>, 'statements'>;
export type Vulnerability = Omit<Fact<'vulnerability'>, 'statements'>;

/** What a file lists; undefined if it is no bill of materials and no VEX document. */
export type ReadBill = (file: Cid, bytes: Uint8Array) => Promise<Bill | undefined>;

export function billReader(evidenceReader: Pick<EvidenceReader, 'read'>): ReadBill {
  return async (_, bytes) => {
    const read = await evidenceReader.read(bytes).catch(refused);
    if (!read || !billKinds.has(read.kind)) return undefined;
    return {
      components: read.evidence.flatMap(componentsIn),
      vulnerabilities: read.evidence.flatMap(vulnerabilitiesIn),
      listsVulnerabilities: read.evidence.some((one) => one.listsVulnerabilities),
    };
  };
}

/** Most metadata is no evidence. */
function refused(error: unknown): undefined {
  if (error instanceof ServiceError && error.code !== 'unavailable') return undefined;
  throw error;
}

/** What documents call the description of a component. */
const componentMembers = ['component', 'package', 'software_Package', 'element'];

function componentsIn({ about, descriptions = [] }: Evidence): Component[] {
  const products = new Set(about.map((thing) => identified(thing).id));
  return descriptions.flatMap(({ about: thing, document }) => {
    const described = componentMembers.map((member) => document[member]).find(isObject);
    if (!described || products.has(identified(thing).id)) return [];
    // In SPDX 3 licenses are elements of their own.
    const { licenses = described.licenses } = document;
    return [componentOf({ ...described, licenses })];
  });
}

function componentOf(said: JsonObject): Component {
  const { group, name, version, versionInfo, purl, externalRefs } = said;
  const whole = [group, name].filter((one) => typeof one === 'string').join('/');
  const named = [version, versionInfo, said.software_packageVersion].find((one) => typeof one === 'string');
  const url = [purl, said.software_packageUrl, purlIn(externalRefs)].find((one) => typeof one === 'string');
  return {
    name: whole,
    ...(named !== undefined && { version: named }),
    ...(url !== undefined && { purl: url }),
    ...licensesIn(said),
  };
}

function purlIn(references: unknown): unknown {
  return listOf(references)
    .filter(isObject)
    .find(({ referenceType }) => referenceType === 'purl')?.referenceLocator;
}

/** License ids and expressions. The words of SPDX for "nobody said" say nothing, and NONE says that there is none. */
function licensesIn({
  licenses,
  licenseConcluded,
  licenseDeclared,
}: JsonObject): Pick<Fact<'component'>, 'licenses'> {
  const ofCycloneDx = listOf(licenses)
    .filter(isObject)
    .map(({ license, expression }) => {
      const { id, name } = isObject(license) ? license : {};
      return expression ?? id ?? name;
    });
  const all = [...ofCycloneDx, licenseConcluded, licenseDeclared];
  const said = all.filter((one): one is string => typeof one === 'string' && one !== 'NOASSERTION');
  return said.length === 0 ? {} : { licenses: [...new Set(said)].filter((one) => one !== 'NONE') };
}

function vulnerabilitiesIn({ descriptions = [] }: Evidence): Vulnerability[] {
  return descriptions.flatMap(({ document }) =>
    listOf(document.vulnerabilities)
      .filter(isObject)
      .map((one) => ({
        id: String(one.id ?? one.name ?? one.spdxId ?? ''),
        severity: severityOf(one),
        state: stateOf(one),
      })),
  );
}

/** The worst that anybody has given it. */
function severityOf({ ratings, assessment }: JsonObject): string {
  const words = [...listOf(ratings), assessment].filter(isObject).map(ratedAs);
  return severities.findLast((word) => words.includes(word)) ?? 'unknown';
}

/** In a word, or by the score of CVSS. */
function ratedAs({ severity, security_severity: spdxSeverity, method, score }: JsonObject): string {
  const word = String(severity ?? spdxSeverity ?? '').toLowerCase();
  if (severities.includes(word) && word !== 'unknown') return word;
  if (typeof score !== 'number' || !/^cvss/i.test(String(method))) return 'unknown';
  const worst = scale.find(({ from }) => score >= from)?.word ?? 'unknown';
  return worst === 'critical' && method === 'CVSSv2' ? 'high' : worst;
}

/** The qualitative severity rating scale of CVSS v3 and v4. CVSS v2 has nothing above high. */
const scale = [
  { from: 9, word: 'critical' },
  { from: 7, word: 'high' },
  { from: 4, word: 'medium' },
  { from: 0.1, word: 'low' },
  { from: 0, word: 'none' },
] as const;

/** The relations of SPDX 3 say what was decided. */
const spdxStates: Readonly<Record<string, string>> = {
  doesNotAffect: 'not_affected',
  fixedIn: 'resolved',
  underInvestigationFor: 'in_triage',
  affects: 'exploitable',
};

function stateOf({ analysis, assessment }: JsonObject): string {
  if (isObject(analysis) && typeof analysis.state === 'string') return analysis.state;
  return isObject(assessment) ? (spdxStates[String(assessment.relationshipType)] ?? '') : '';
}
