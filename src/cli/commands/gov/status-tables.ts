import { table } from '../../terminal/table.ts';
import type { StatusAnswer } from './status-answer.ts';

/** What stands for a subject, as text. */
export function statusTables({ subject, project, ...found }: StatusAnswer): string {
  const { declarations, controls, certificates } = found;
  const undirected = declarations.filter(({ controlCids }) => controlCids.length === 0);
  const reviewed = [
    ...controls,
    ...undirected.map(({ documentCid, review }) => ({
      controlCid: '-',
      declarationCid: documentCid,
      review,
    })),
  ].map(({ controlCid, declarationCid, review }) => [
    controlCid,
    declarationCid ?? '-',
    review?.decision ?? 'not reviewed',
    review?.submittedAt ?? '-',
    review?.submittedBy ?? '-',
  ]);
  const certified = certificates.map(({ standing, validUntil, kind, credentialId, policyCid }) => [
    standing,
    validUntil,
    kind,
    credentialId,
    policyCid ?? '-',
  ]);
  return [
    `${subject}\nin the project ${project}\n`,
    part('Nothing is declared.', ['CONTROL', 'DECLARATION', 'LAST REVIEW', 'AT', 'CLAIMED BY'], reviewed),
    part(
      'There are no certificates.',
      ['STANDING', 'VALID UNTIL', 'KIND', 'CREDENTIAL', 'POLICY'],
      certified,
    ),
  ].join('\n');
}

function part(none: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? `${none}\n` : table([head, ...rows]);
}
