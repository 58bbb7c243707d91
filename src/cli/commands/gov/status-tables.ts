import type { GovernanceStatusAnswer } from '../../../contract/integrity/governance.ts';
import { referenceIdentifier } from '../../../domain/integrity/identifiers/identifiers.ts';
import { cutLine, shownIdentifier } from '../../terminal/identifier.ts';
import { table } from '../../terminal/table.ts';

const nameWidth = 20;

export interface StatusOptions {
  /** By identifier, as statements write it. */
  readonly names: ReadonlyMap<string, string>;
  readonly isFull: boolean;
  readonly width: number;
}

/** Everything in a status that may have a name, as statements write it. */
export function identifiersIn({
  subject,
  declarations,
  controls,
  certificates,
}: GovernanceStatusAnswer): string[] {
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
export function statusTables(
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
    ...undirected.map(({ documentCid, review }) => ({
      controlCid: null,
      declarationCid: documentCid,
      review,
    })),
  ].map(({ controlCid, declarationCid, review }) => [
    shown(controlCid),
    shown(declarationCid),
    review?.decision ?? 'not reviewed',
    review?.submittedAt ?? '-',
    shown(review?.submittedBy),
  ]);
  const certified = certificates.map(({ standing, validUntil, kind, credentialId, policyCid }) => [
    standing,
    validUntil,
    kind,
    shown(credentialId),
    shown(policyCid),
  ]);
  const name = names.get(normalized(subject) ?? '');
  const parts = [
    `${shownIdentifier(subject, name, { isFull: true })}\nin the project ${project}\n`,
    part('Nothing is declared.', ['CONTROL', 'DECLARATION', 'LAST REVIEW', 'AT', 'CLAIMED BY'], reviewed),
    part(
      'There are no certificates.',
      ['STANDING', 'VALID UNTIL', 'KIND', 'CREDENTIAL', 'POLICY'],
      certified,
    ),
  ];
  const lines = parts.join('\n').split('\n');
  return lines.map((line) => cutLine(line, width)).join('\n');
}
