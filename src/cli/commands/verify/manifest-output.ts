import { wholeLogWords } from '../../../contract/log-words.ts';
import { sentenceOf, trustAnswer } from '../../../contract/sentences.ts';
import { counted } from '../../../contract/words/text.ts';
import { trustMark } from '../../../contract/words/trust.ts';
import { cidUrn } from '../../../domain/integrity/identifiers/cid.ts';
import { statementTime } from '../../../domain/integrity/identifiers/timestamp.ts';
import type {
  ManifestFinding,
  ManifestSummary,
  SignerCount,
} from '../../../domain/integrity/manifest/summary.ts';
import type { Judgement } from '../../../domain/integrity/policies/verification.ts';
import type { Trust } from '../../../domain/integrity/signatures/trust.ts';
import { printableLine } from '../../terminal/output.ts';
import { checkJson } from './verify-credential.ts';

const signersShown = 20;
const reasonsShown = 10;
const othersShown = 10;

export function findingJson(finding: ManifestFinding): string {
  if (finding.kind === 'trust') {
    const { kind, statement, trust, isKnown } = finding;
    return `${JSON.stringify({ kind, statement, ...trustJson(trust), known: isKnown })}\n`;
  }
  if (finding.kind === 'credential') {
    const { cid, credentialId, signature, trust } = finding.credential;
    return `${JSON.stringify({ kind: 'credential', cid: cid.text, id: credentialId, signature: checkJson(signature), ...trustJson(trust) })}\n`;
  }
  if (finding.kind === 'claimed_retraction') {
    const { kind, subject, retraction, registeredBy, reason } = finding;
    const claim = { kind, statement: subject, retraction, by: registeredBy };
    return `${JSON.stringify({ ...claim, ...(reason !== null && { reason }) })}\n`;
  }
  if (finding.kind === 'log') return `${JSON.stringify({ kind: 'log', ...logJson(finding.log) })}\n`;
  return `${JSON.stringify(finding)}\n`;
}

function logJson({ log, size, statements, serviceSize, checkpoint, notes }: ManifestSummary['logs'][number]) {
  const { origin, isKnown, seen } = checkpoint;
  return {
    log,
    statements,
    size,
    origin,
    log_size: serviceSize,
    known: isKnown,
    not_after: seen && new Date(seen.at * 1_000).toISOString(),
    witnesses: seen?.witnesses ?? [],
    notes,
  };
}

/** With the codes of the reasons. */
function trustJson(trust: Trust) {
  const { reason, unknownStatus } = trust;
  const status = unknownStatus && {
    status: 'unknown',
    status_reason: sentenceOf(unknownStatus),
    status_code: unknownStatus.code,
  };
  return { ...trustAnswer(trust), code: reason?.code, ...status };
}

function reasonJson({ reason, credentials }: ManifestSummary['credentials']['reasons'][number]) {
  return { reason: sentenceOf(reason), code: reason.code, credentials };
}

/** @param isOk whether the exit code is 0. */
export function summaryJson(
  path: string,
  summary: ManifestSummary,
  { answer }: Judgement,
  isOk: boolean,
): string {
  const { unverifiedContexts, isAsked, signers, credentials, ids, logs, ...counts } = summary;
  const { reasons, ...byStatus } = credentials;
  const shown = {
    file: path,
    ok: isOk,
    verdict: answer,
    unaltered: answer !== 'failed',
    ...counts,
    ids,
    signers: signers.map(({ signer, statements, asRegistrant, isKnown }) => ({
      signer,
      statements,
      as_registrant: asRegistrant,
      ...(isAsked && { known: isKnown }),
    })),
    credentials: { ...byStatus, unknown_reasons: reasons.map(reasonJson) },
    unverified_contexts: unverifiedContexts,
    logs: logs.map(logJson),
  };
  return `${JSON.stringify({ summary: shown })}\n`;
}

/**
 * Findings as lines, and the summary after them.
 * @param isFull a line for each statement and credential. Otherwise valid signatures are only counted.
 * @param isAsked whether the reader has said whom they trust.
 */
export function manifestText(path: string, { isFull, isAsked }: { isFull: boolean; isAsked: boolean }) {
  let others = 0;

  function statementText({ statement, trust, isKnown }: Extract<ManifestFinding, { kind: 'trust' }>): string {
    const mark = trustMark(trustAnswer(trust));
    if (isFull || mark === 'revoked' || mark === 'retracted' || mark === 'invalid')
      return `${trustWords(trust)}: ${statement}${reasonsOf(trust)}`;
    if (!isAsked || isKnown) return '';
    others += 1;
    return others > othersShown ? '' : `not by anybody you trust: ${statement}, ${trustWords(trust)}`;
  }

  function credentialText({ credential }: Extract<ManifestFinding, { kind: 'credential' }>): string {
    const { cid, credentialId, signature, trust } = credential;
    if (!isFull && trust.isValid) return '';
    const name = `the credential ${credentialId ?? ''} (${cidUrn(cid)})`.replace('  ', ' ');
    if (signature.result === 'ok') return `${trustWords(trust)}: ${name}${reasonsOf(trust)}`;
    const fault = signature.result === 'failed' ? 'wrong signature' : 'signature unknown';
    return `${fault}: ${name}. ${sentenceOf(signature.reason)}`;
  }

  function lineOf(finding: ManifestFinding): string {
    switch (finding.kind) {
      case 'trust':
        return statementText(finding);
      case 'credential':
        return credentialText(finding);
      case 'claimed_retraction':
        return `claims to be retracted by ${finding.registeredBy}: ${finding.subject}${finding.reason === null ? '' : `. ${finding.reason}`}`;
      case 'log':
        return '';
      case 'missing':
        return `missing: ${finding.identifier}, referenced at ${finding.place}`;
      case 'fault':
        return `WRONG${finding.place && ` at ${finding.place}`}: ${finding.reason}`;
    }
  }

  return {
    finding: (finding: ManifestFinding): string => textOf([lineOf(finding)].filter(Boolean)),
    summary(summary: ManifestSummary, { answer }: Judgement): string {
      const more = others > othersShown ? [`and ${others - othersShown} more (--full lists all)`] : [];
      return textOf([...more, ...summaryLines(path, summary, answer)]);
    },
  };
}

/** A line break in foreign text must not look like a line of ours. */
function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${printableLine(line)}\n`).join('');
}

function trustWords({ state, by = 'an unknown key', isRegistrant }: Trust): string {
  if (state === 'claimed') return 'signed by nobody';
  return `${state} by ${isRegistrant ? `its registrant ${by}` : by}`;
}

function reasonsOf({ reason, unknownStatus, retraction }: Trust): string {
  if (retraction) {
    const time = retraction.time === null ? '' : ` at ${statementTime(new Date(retraction.time))}`;
    return `${time}${retraction.reason === null ? '' : `. ${retraction.reason}`}`;
  }
  if (reason) return `. ${sentenceOf(reason)}`;
  return unknownStatus ? `. status unknown: ${sentenceOf(unknownStatus)}` : '';
}

function summaryLines(path: string, summary: ManifestSummary, answer: Judgement['answer']): string[] {
  const { statements, blobs, contexts, anchors, missing, uncovered, unverifiedContexts } = summary;
  const { claimed, signed, invalid, revoked, retracted, signers, isAsked } = summary;
  const notValid = invalid > 0 ? `, ${invalid} of them not valid now` : '';
  return [
    `${path}: ${verdictWords(summary, answer)}`,
    `  ${counted(statements, 'statement')}, ${counted(blobs, 'blob')}, ${counted(contexts, 'context')}, ${counted(anchors, 'anchor')}`,
    `  ${signed} signed${notValid}, ${claimed} only claimed, ${revoked} revoked${retracted > 0 ? `, ${retracted} retracted` : ''}`,
    ...signers.slice(0, signersShown).map((one) => `  ${signerWords(one, isAsked)}`),
    ...(signers.length > signersShown
      ? [`  and by ${counted(signers.length - signersShown, 'other key')}`]
      : []),
    ...credentialLines(summary),
    ...logLines(summary),
    ...(missing > 0 ? [`  ${missing} missing: referenced, but not in the manifest`] : []),
    ...(uncovered > 0
      ? [`  ${counted(uncovered, 'statement has', 'statements have')} content that the id does not cover`]
      : []),
    ...unverifiedContexts.map(
      (url) => `  the context ${url} is unverified: only the manifest vouches for it`,
    ),
  ];
}

/** Says nothing of completeness if something is wrong. */
function logLines({ logs, unlogged, faults }: ManifestSummary): string[] {
  if (faults > 0) return [];
  return [
    ...logs.flatMap((log) => [
      `  ${wholeLogWords(log)}`,
      ...log.notes.map((note) => `    noted there: ${note}`),
    ]),
    ...(unlogged > 0 ? [`  and ${counted(unlogged, 'other statement')}, of which no log says anything`] : []),
  ];
}

function verdictWords({ faults, known, ids }: ManifestSummary, answer: Judgement['answer']): string {
  switch (answer) {
    case 'failed':
      return `FAILED, ${counted(faults, 'problem')}`;
    case 'unaltered':
      return 'unaltered; you have not said whom you trust (--signer, --keys)';
    case 'partly_known':
      return `unaltered; ${known} of ${ids} statements are signed by those you trust`;
    case 'known':
      return 'unaltered, and every statement is signed by those you trust';
  }
}

function signerWords({ signer, statements, asRegistrant, isKnown }: SignerCount, isAsked: boolean): string {
  const known = isKnown ? ', known to you' : ', not known to you';
  const as = asRegistrant === statements ? 'all' : asRegistrant;
  return `${statements} signed by ${signer ?? 'an unknown key'}, ${as} as registrant${isAsked ? known : ''}`;
}

function credentialLines({ credentials }: ManifestSummary): string[] {
  const { good, suspended, revoked, unknown, reasons } = credentials;
  const all = good + suspended + revoked + unknown;
  if (all === 0) return [];
  const shown = reasons.slice(0, reasonsShown);
  return [
    `  ${all} ${all === 1 ? 'credential' : 'credentials'} with a status: ${good} good, ${suspended} suspended, ${revoked} revoked, ${unknown} unknown`,
    ...shown.map((one) => `  status unknown: ${sentenceOf(one.reason)} (${one.credentials})`),
    ...(reasons.length > reasonsShown ? [`  and for ${reasons.length - reasonsShown} other reasons`] : []),
  ];
}
