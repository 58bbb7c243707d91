import { callerKey, type Principal } from '../../access/access.ts';
import type { Visibility } from '../../access/visibility.ts';
import { eachRecord } from '../../collections/records.ts';
import type { ContentReach } from '../access/content-reach.ts';
import { governanceContext } from '../contexts/own.ts';
import { type Cid, cidUrn, parseCid } from '../identifiers/cid.ts';
import { type ExportedManifest, exportManifest, type ManifestExporting } from '../manifest/export.ts';
import type { GraphContents } from '../manifest/ports.ts';
import type { StatementRow, StatementStore } from '../ports.ts';
import type { Signatures } from '../signatures/signatures.ts';
import { credentialIdOf } from '../signatures/statement-credential.ts';
import type { Signer } from '../signer.ts';
import { throwUnknown } from './documents.ts';
import {
  type GovernanceDocuments,
  type GovernanceRecord,
  type GovernanceRecords,
  recordsAt,
} from './governance-records.ts';
import { policiesNamed } from './policy-rules.ts';
export type PolicyManifestPorts = ManifestExporting & {
  readonly statements: Pick<StatementStore, 'byJcsCid'>;
  readonly governanceDocuments: Pick<GovernanceDocuments, 'page'>;
  readonly governanceRecords: Pick<GovernanceRecords, 'page'>;
  readonly signatures: Pick<Signatures, 'among'>;
  readonly signer: Pick<Signer, 'keys'>;
  readonly reach: ContentReach;
};

export interface PolicyManifestFilter {
  readonly projectId: string;
  /** Null means every policy that the project uses. */
  readonly policyCids: readonly Cid[] | null;
  readonly includeContext: boolean;
  readonly includeBlobs: boolean;
}

/** Others need the documents to verify the credentials. */
const governanceContextCids = [...governanceContext.versions.keys()].map((url) => parseCid(url).text);

const rowsAtOnce = 100;

/**
 * Packages what a project has under some policies: the policies and their controls, declarations about these, their
 * reviews, compliance certificates, and the memberships of the project. The caller must have checked that the principal
 * may view the project.
 * @throws ServiceError `invalid_request` for an unknown policy.
 */
export async function exportPolicies(
  ports: PolicyManifestPorts,
  principal: Principal,
  { projectId, policyCids, includeContext, includeBlobs }: PolicyManifestFilter,
): Promise<ExportedManifest> {
  const visibility = { projects: new Set([projectId]) };
  const records = await recordsAt(ports.governanceRecords, 'byProject', [projectId]);
  const named = new Set(records.flatMap(({ policyCid, controlCids }) => [policyCid, ...controlCids]));
  const cids = policyCids ?? [...(await policiesNamed(ports, named)).keys()].map(parseCid);
  const policies = new Set(cids.map(({ text }) => text));
  const controls = new Set<string>();
  for (const cid of cids)
    for (const control of await controlsOf(ports, principal, { cid, named, visibility }))
      controls.add(control);
  const chosen = recordsUnder(records, policies, controls);
  const isCertified = chosen.some(({ credentialId }) => credentialId !== null);
  const attached = new Set([
    ...policies,
    ...controls,
    ...chosen.flatMap(({ attachmentCids }) => attachmentCids),
    ...(isCertified ? governanceContextCids : []),
  ]);
  const filter = { graphIds: [projectId], includeContext, includeBlobs };
  const contents = {
    ...ports,
    graphContents: chosenContents(ports, projectId, await formsOf(ports, chosen, visibility), visibility),
    attachedBlobs: {
      page: async () => ({ records: [...attached].map((cid) => ({ id: cid, graphId: projectId, cid })) }),
    },
  };
  return await exportManifest(contents, filter, visibility, {
    form: 'json',
    reader: () => principal.grants.visible(),
  });
}

/**
 * The controls of a policy in a project. Anybody can register the same policy with other controls. So the lists count that
 * the caller has registered or that the project uses, or else the first list.
 */
async function controlsOf(
  { governanceDocuments, reach }: Pick<PolicyManifestPorts, 'governanceDocuments' | 'reach'>,
  principal: Principal,
  { cid, named, visibility }: { cid: Cid; named: ReadonlySet<string | null>; visibility: Visibility },
): Promise<string[]> {
  const registrations = await Array.fromAsync(eachRecord(governanceDocuments, 'byCid', ['policy', cid.text]));
  const counting = registrations.filter(
    ({ caller, controlCids }) =>
      callerKey(caller) === callerKey(principal) || controlCids.some((control) => named.has(control)),
  );
  const isKnown = counting.length > 0 || named.has(cid.text) || (await reach.blob(cid, visibility));
  if (registrations.length === 0 || !isKnown) throwUnknown('policy', cid);
  const lists = counting.length > 0 ? counting : registrations.slice(0, 1);
  return lists.flatMap(({ controlCids }) => controlCids);
}

function recordsUnder(
  records: readonly GovernanceRecord[],
  policies: ReadonlySet<string>,
  controls: ReadonlySet<string>,
): GovernanceRecord[] {
  const isAbout = ({ controlCids }: GovernanceRecord) =>
    controlCids.some((cid) => controls.has(cid) || policies.has(cid));
  const nameOf = ({ subject }: GovernanceRecord, cid: string | null) => `${subject} ${cid}`;
  const declarations = new Set(
    records
      .filter((record) => record.kind === 'declaration' && isAbout(record))
      .map((record) => nameOf(record, record.documentCid)),
  );
  const isChosen: Readonly<Record<GovernanceRecord['kind'], (record: GovernanceRecord) => boolean>> = {
    declaration: isAbout,
    review: (record) => isAbout(record) || declarations.has(nameOf(record, record.declarationCid)),
    compliance: ({ policyCid }) => policyCid !== null && policies.has(policyCid),
    membership: () => true,
  };
  return records.filter((record) => isChosen[record.kind](record));
}

type Form = Pick<StatementRow, 'rdfcCid' | 'jcsCid'>;

/** The statements of these records, and the credentials with which this service has signed them. */
async function formsOf(
  { signatures, signer, statements }: Pick<PolicyManifestPorts, 'signatures' | 'signer' | 'statements'>,
  chosen: readonly GovernanceRecord[],
  visibility: Visibility,
): Promise<Form[]> {
  const forms = chosen.map((record): Form => {
    return { rdfcCid: parseCid(record.statementCid), jcsCid: parseCid(record.statementJcsCid) };
  });
  for (let at = 0; at < chosen.length; at += rowsAtOnce) {
    const issued = chosen
      .slice(at, at + rowsAtOnce)
      .flatMap(({ statementCid }) => signer.keys.map(({ did }) => credentialIdOf(cidUrn(statementCid), did)));
    for (const { carrier } of (await signatures.among('byIssued', issued, 1)).flat()) {
      const row = await statements.byJcsCid(parseCid(carrier), visibility);
      if (row) forms.push({ rdfcCid: row.rdfcCid, jcsCid: row.jcsCid });
    }
  }
  return forms;
}

/** These statements, as if they were all of the graph. */
function chosenContents(
  { graphContents, statements }: Pick<PolicyManifestPorts, 'graphContents' | 'statements'>,
  projectId: string,
  forms: readonly Form[],
  visibility: Visibility,
): GraphContents {
  const inOrder = forms.toSorted((one, other) => Buffer.compare(one.rdfcCid.digest, other.rdfcCid.digest));
  return {
    ...graphContents,
    attachments: async () => ({ contexts: [], anchors: [] }),
    visible: async () => [projectId],
    async *statements() {
      for (let at = 0; at < inOrder.length; at += rowsAtOnce) {
        const rows: StatementRow[] = [];
        for (const { jcsCid } of inOrder.slice(at, at + rowsAtOnce)) {
          const row = await statements.byJcsCid(jcsCid, visibility);
          if (row) rows.push(row);
        }
        yield rows;
      }
    },
  };
}
