import type { Command } from 'commander';
import { type GovernanceStatusAnswer, governanceStatusAnswer } from '../../contract/integrity/governance.ts';
import { certificateReasons } from '../../contract/words/certificates.ts';
import { parseUuid, referenceIdentifier } from '../../domain/integrity/identifiers/identifiers.ts';
import { answerJson, answerText, openClient } from '../client/api-client.ts';
import { readClientSettings } from '../client/client-settings.ts';
import { identifierOrFile } from '../client/identifier-or-file.ts';
import { askNames } from '../client/names.ts';
import { cutLine, lineWidth, shownIdentifier } from '../terminal/identifier.ts';
import type { Io } from '../terminal/io.ts';
import { table, writeText } from '../terminal/output.ts';

const notes = `
The subject is the CID that POST /gov/v1/cid/subject has answered, the DID of a member, or a file or folder, which is
hashed. The table shows the last review about each control, and whether each certificate is valid now. Names come from
metadata.

Examples:
  $ cairn gov status baga6yaq6e… 0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4
  $ cairn gov status did:key:z6Mk… 0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4 --json`;

export function govCommand(program: Command, io: Io): void {
  program
    .command('gov')
    .description('read the governance of a project')
    .command('status')
    .description('show what stands for a subject: declarations, reviews, certificates')
    .argument('<subject or file>', 'the CID of a registered subject, a DID, or a file or folder')
    .argument('<project>', 'the UUID of the project')
    .option('--full', 'show whole identifiers')
    .option('--json', "print the service's JSON answer")
    .addHelpText('after', notes)
    .action(async (subject: string, project: string, flags: StatusFlags) => {
      const uuid = parseUuid(project, 'project');
      await showStatus(io, await identifierOrFile(io, subject), uuid, flags);
    });
}

interface StatusFlags {
  readonly full?: true;
  readonly json?: true;
}

async function showStatus(io: Io, subject: string, project: string, flags: StatusFlags): Promise<void> {
  const client = openClient(readClientSettings(io));
  const response = await client.send('GET', `/gov/v1/status/${encodeURIComponent(subject)}/${project}`);
  if (flags.json) return await writeText(io, `${await answerText(response)}\n`);
  const status = await answerJson(response, governanceStatusAnswer);
  const names = await askNames(client, [...identifiersIn(status), `urn:uuid:${status.project}`]);
  const width = flags.full ? Number.POSITIVE_INFINITY : lineWidth(io);
  await writeText(io, statusTables(status, { names, isFull: flags.full === true, width }));
}

const nameWidth = 20;

interface StatusOptions {
  /** By identifier, as statements write it. */
  readonly names: ReadonlyMap<string, string>;
  readonly isFull: boolean;
  readonly width: number;
}

/** Everything in a status that may have a name, as statements write it. */
function identifiersIn({ subject, declarations, controls, certificates }: GovernanceStatusAnswer): string[] {
  const texts = [
    subject,
    ...declarations.map(({ documentCid }) => documentCid),
    ...[...declarations, ...controls].map(({ review }) => review?.submittedBy),
    ...controls.flatMap(({ controlCid, declarationCid }) => [controlCid, declarationCid]),
    ...certificates.flatMap(({ credentialId, policyCid }) => [credentialId, policyCid]),
  ];
  return texts.flatMap((text) => (text ? (normalized(text) ?? []) : []));
}

function normalized(text: string): string | undefined {
  return referenceIdentifier(text) ?? referenceIdentifier(`urn:cid:${text}`);
}

/** What stands for a subject, as text. */
function statusTables(
  { subject, project, ...found }: GovernanceStatusAnswer,
  { names, isFull, width }: StatusOptions,
): string {
  const shown = (text: string | null | undefined) =>
    text ? shownIdentifier(text, names.get(normalized(text) ?? ''), { isFull, nameWidth }) : '-';
  const part = (none: string, head: readonly string[], rows: readonly (readonly string[])[]) =>
    rows.length === 0 ? `${none}\n` : table([head, ...rows]);
  const { declarations, controls, certificates } = found;
  const undirected = declarations.filter(({ controlCids }) => controlCids.length === 0);
  const reviewed = [
    ...controls,
    ...undirected.map((one) => ({ controlCid: null, declarationCid: one.documentCid, review: one.review })),
  ].map(({ controlCid, declarationCid, review }) => [
    shown(controlCid),
    shown(declarationCid),
    review?.decision ?? 'not reviewed',
    review?.submittedAt ?? '-',
    shown(review?.submittedBy),
  ]);
  const certified = certificates.map((one) => {
    return [one.standing, one.validUntil, one.kind, shown(one.credentialId), shown(one.policyCid)];
  });
  const reasons = certificates.flatMap((one) =>
    certificateReasons(one).map((reason) => `${shown(one.credentialId)}: ${reason}\n`),
  );
  const certificateHead = ['STANDING', 'VALID UNTIL', 'KIND', 'CREDENTIAL', 'POLICY'];
  const name = names.get(normalized(subject) ?? '');
  const parts = [
    `${shownIdentifier(subject, name, { isFull: true })}\nin the project ${shownIdentifier(project, names.get(`urn:uuid:${project}`), { isFull: true })}\n`,
    part('Nothing is declared.', ['CONTROL', 'DECLARATION', 'LAST REVIEW', 'AT', 'CLAIMED BY'], reviewed),
    part('There are no certificates.', certificateHead, certified) + reasons.join(''),
  ];
  const lines = parts.join('\n').split('\n');
  return lines.map((line) => cutLine(line, width)).join('\n');
}
