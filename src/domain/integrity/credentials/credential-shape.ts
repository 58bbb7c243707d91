import type { ErrorDetail } from '../../errors.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import { jsonPointer } from '../../json/strict-json.ts';
import { credentialsV1, credentialsV2 } from '../contexts/credentials.ts';
import { isCidUrn, isDid, isUuidUrn } from '../identifiers/identifiers.ts';
import { parseTime } from '../identifiers/timestamp.ts';
import type { Credential } from './credential-records.ts';

/** The service resolves no more contexts in one place. */
const mostContexts = 50;
const urlLimit = 2_000;
const absoluteUrl = /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]+$/i;

type Path = readonly (string | number)[];
type Check = (value: unknown, path: Path) => void;

/** Whether a text is an absolute URL. UUIDs, CIDs and DIDs inside are checked. */
function isUrl(text: string): boolean {
  if (text.length > urlLimit || !absoluteUrl.test(text)) return false;
  if (/^urn:uuid:/i.test(text)) return isUuidUrn(text.toLowerCase());
  if (text.startsWith('urn:cid:')) return isCidUrn(text);
  if (text.startsWith('did:')) return isDid(text);
  return /^https?:/i.test(text) ? URL.canParse(text) : true;
}

/** A value that may stand alone or in a list, as a list. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/**
 * What VC Data Model 2.0 (or 1.1, if its context comes first) demands of an unsigned credential and this one lacks.
 * JSON-LD itself is checked elsewhere.
 */
export function credentialProblems(credential: Credential): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  const report = (path: Path, reason: string) => problems.push({ pointer: jsonPointer(path), reason });
  const isV1 = firstContext(credential) === credentialsV1;

  const url: Check = (value, path) => {
    if (value === undefined)
      report(path, 'is missing. Write an absolute URL, such as urn:uuid:… or https://…');
    else if (typeof value !== 'string' || !isUrl(value))
      report(path, `${shown(value)} is not an absolute URL, such as urn:uuid:… or https://…`);
  };
  const optionalUrl: Check = (value, path) => value !== undefined && url(value, path);
  const date: Check = (value, path) => {
    if (value !== undefined && timeOf(value) === undefined)
      report(path, `${shown(value)} is not a date and time with a time zone, such as 2026-01-31T12:00:00Z`);
  };
  const type: Check = (value, path) => {
    const types = listOf(value);
    if (types.length === 0) report(path, 'is missing. Name the type of this object');
    else if (!types.every((one) => typeof one === 'string' && one !== ''))
      report(path, 'must be a text, or a list of texts');
  };
  const objects = (name: string, check: (value: JsonObject, path: Path) => void) => {
    const value = credential[name];
    if (Array.isArray(value) && value.length === 0) report([name], 'must not be an empty list');
    for (const [at, one] of listOf(value).entries()) {
      const path = Array.isArray(value) ? [name, at] : [name];
      if (!isObject(one)) report(path, 'must be an object');
      else if (Object.keys(one).length === 0) report(path, 'must not be empty');
      else check(one, path);
    }
  };
  const typed = (name: string, checkId: Check) =>
    objects(name, (value, path) => {
      type(value.type, [...path, 'type']);
      checkId(value.id, [...path, 'id']);
    });

  for (const name of Object.keys(credential))
    if (name.startsWith('@') && name !== '@context')
      report(
        [name],
        name === '@id' || name === '@type'
          ? `Write ${name.slice(1)} instead`
          : 'is not a member of a credential',
      );
  contextProblems(credential['@context'], report);
  type(credential.type, ['type']);
  if (credential.type !== undefined && !listOf(credential.type).includes('VerifiableCredential'))
    report(['type'], 'must include VerifiableCredential');
  optionalUrl(credential.id, ['id']);
  const { issuer } = credential;
  const [issuerId, path] = isObject(issuer) ? [issuer.id, ['issuer', 'id']] : [issuer, ['issuer']];
  if (issuerId === undefined) report(path, 'is missing. Name the URL or DID of the issuer');
  else url(issuerId, path);
  if (credential.credentialSubject === undefined) report(['credentialSubject'], 'is missing');
  objects('credentialSubject', (subject, path) => optionalUrl(subject.id, [...path, 'id']));
  typed('credentialSchema', url);
  typed('credentialStatus', isV1 ? url : optionalUrl);
  typed('refreshService', isV1 ? url : optionalUrl);
  for (const name of ['termsOfUse', 'evidence']) typed(name, optionalUrl);
  objects('relatedResource', (resource, path) => url(resource.id, [...path, 'id']));
  for (const name of dateMembers) date(credential[name], [name]);
  if (isV1 && credential.issuanceDate === undefined)
    report(['issuanceDate'], 'is missing. Credentials with the context of version 1 need it');
  orderProblems(credential, report);
  return problems;
}

const dateMembers = ['validFrom', 'validUntil', 'issuanceDate', 'expirationDate'];

/** When a credential begins and ends to be valid, in milliseconds since 1970; undefined where it does not say. */
export function validity(credential: Credential): { from: number | undefined; until: number | undefined } {
  return {
    from: timeOf(credential.validFrom ?? credential.issuanceDate),
    until: timeOf(credential.validUntil ?? credential.expirationDate),
  };
}

function timeOf(value: unknown): number | undefined {
  return (typeof value === 'string' ? parseTime(value) : null) ?? undefined;
}

/** Members whose value is present and is not a date. */
export function malformedDates(credential: Credential): string[] {
  return dateMembers.filter(
    (name) => credential[name] !== undefined && timeOf(credential[name]) === undefined,
  );
}

function firstContext({ '@context': context }: Credential): unknown {
  return listOf(context)[0];
}

function contextProblems(context: unknown, report: (path: Path, reason: string) => void): void {
  if (!Array.isArray(context)) {
    report(['@context'], `must be a list that starts with ${credentialsV2} or ${credentialsV1}`);
    return;
  }
  if (context[0] !== credentialsV2 && context[0] !== credentialsV1)
    report(['@context', 0], `must be ${credentialsV2} or ${credentialsV1}`);
  if (context.length > mostContexts)
    report(['@context'], `has ${context.length} entries. At most ${mostContexts} are accepted`);
  else
    for (const [at, one] of context.entries())
      if (!isObject(one) && (typeof one !== 'string' || !isUrl(one)))
        report(['@context', at], `${shown(one)} is neither a URL nor an object`);
}

function orderProblems(credential: Credential, report: (path: Path, reason: string) => void): void {
  const { from, until } = validity(credential);
  if (from === undefined || until === undefined || from <= until) return;
  const first = credential.validFrom === undefined ? 'issuanceDate' : 'validFrom';
  const last = credential.validUntil === undefined ? 'expirationDate' : 'validUntil';
  report([last], `is before ${first}, so the credential would never be valid`);
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 100);
}
