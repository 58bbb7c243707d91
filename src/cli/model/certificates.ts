import { type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { X509Certificate as ParsedCertificate } from '@sigstore/core';
import { failUsage } from '../terminal/failure.ts';

/** A certificate, and its extensions, which Node does not show. */
interface Certificate {
  readonly x509: X509Certificate;
  readonly parsed: ParsedCertificate;
}

/** Why a chain does not hold. */
export class CertificateProblem extends Error {}

const longestChain = 10;
const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const codeSigning = '1.3.6.1.5.5.7.3.3';
/** Extensions that are checked here, or that say nothing about what a certificate may do (RFC 5280, 4.2). */
const knownExtensions = new Set([
  '2.5.29.14',
  '2.5.29.15',
  '2.5.29.17',
  '2.5.29.19',
  '2.5.29.35',
  '2.5.29.37',
]);

/** The certificates of files in PEM. @throws Failure (usage). */
export async function readCertificates(paths: readonly string[]): Promise<Uint8Array[]> {
  const found: Uint8Array[] = [];
  for (const path of paths) {
    const texts = (await readFile(path, 'latin1')).match(pem) ?? [];
    if (texts.length === 0) failUsage(`${path} has no certificate in PEM.`);
    for (const text of texts) found.push(ofFile(path, text).raw);
  }
  return found;
}

function ofFile(path: string, text: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch {
    return failUsage(`${path} has a certificate that cannot be read.`);
  }
}

/**
 * The key and the subject of the first certificate, if a chain leads from it to a trusted root and it may sign.
 * @param trusted certificates; a chain ends at one that is self-signed.
 * @throws CertificateProblem
 */
export function certifiedKey(
  certificates: readonly Uint8Array[],
  trusted: readonly Uint8Array[],
  now: Date,
): { readonly key: KeyObject; readonly subject: string } {
  const [leaf, ...others] = certificates.map(parse);
  if (!leaf) throw new CertificateProblem('It has no certificate.');
  const given = trusted.map(parse);
  const roots = given.filter(({ x509 }) => isIssuer(x509, x509));
  if (roots.length === 0)
    throw new CertificateProblem(
      'None of the trusted certificates is a root, which signs itself. Name it with --certificate-chain.',
    );
  assertValid(leaf, now);
  assertMaySign(leaf);
  const isRoot = (one: Certificate) => roots.some(({ x509 }) => x509.raw.equals(one.x509.raw));
  const tried = new Set<Certificate>();
  const leadsToRoot = (one: Certificate, below: number): boolean => {
    if (isRoot(one)) return true;
    if (tried.has(one) || below >= longestChain) return false;
    tried.add(one);
    return [...roots, ...given, ...others].some(
      (issuer) =>
        isIssuer(issuer.x509, one.x509) && mayIssue(issuer, below, now) && leadsToRoot(issuer, below + 1),
    );
  };
  if (!leadsToRoot(leaf, 0))
    throw new CertificateProblem(
      `No valid chain leads from the certificate of ${subjectOf(leaf)} to a trusted root.`,
    );
  return { key: leaf.x509.publicKey, subject: subjectOf(leaf) };
}

function parse(der: Uint8Array): Certificate {
  try {
    return { x509: new X509Certificate(der), parsed: ParsedCertificate.parse(Buffer.from(der)) };
  } catch {
    throw new CertificateProblem('A certificate cannot be read.');
  }
}

function subjectOf({ x509 }: Certificate): string {
  return x509.subject.replaceAll('\n', ', ');
}

function isIssuer(issuer: X509Certificate, certificate: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

/** @param below how many authorities are between it and the certificate of the signer. */
function mayIssue({ x509, parsed }: Certificate, below: number, now: Date): boolean {
  const { extKeyUsage, extBasicConstraints } = parsed;
  const most = extBasicConstraints?.pathLenConstraint;
  return (
    extBasicConstraints?.isCA === true &&
    (most === undefined || most >= below) &&
    extKeyUsage?.keyCertSign !== false &&
    isValidAt(x509, now) &&
    unknownCritical(parsed) === undefined
  );
}

function assertValid(certificate: Certificate, now: Date): void {
  const { validFrom, validTo } = certificate.x509;
  const subject = subjectOf(certificate);
  if (!isValidAt(certificate.x509, now))
    throw new CertificateProblem(
      `The certificate of ${subject} is valid from ${validFrom} to ${validTo}, so it is not valid now.`,
    );
  const unknown = unknownCritical(certificate.parsed);
  if (unknown !== undefined)
    throw new CertificateProblem(`The certificate of ${subject} demands the unknown extension ${unknown}.`);
}

function isValidAt({ validFromDate, validToDate }: X509Certificate, now: Date): boolean {
  return validFromDate <= now && now <= validToDate;
}

function assertMaySign(certificate: Certificate): void {
  const isCodeSigning = (certificate.x509.keyUsage ?? []).includes(codeSigning);
  if (certificate.parsed.extKeyUsage?.digitalSignature || isCodeSigning) return;
  throw new CertificateProblem(
    `The certificate of ${subjectOf(certificate)} may not sign: it has neither the key usage digitalSignature nor codeSigning.`,
  );
}

/** An extension whose meaning must be known, and is not (RFC 5280, 4.2). */
function unknownCritical({ extensions }: ParsedCertificate): string | undefined {
  for (const { subs } of extensions) {
    const [oid, critical, value] = subs;
    const name = oid?.toOID() ?? '';
    if (value && critical?.value[0] && !knownExtensions.has(name)) return name;
  }
  return undefined;
}
