import { z } from 'zod';
import type { JsonObject } from '../../../json/is-object.ts';
import { type Evidence, type EvidenceKind, EvidenceProblem } from '../evidence.ts';
import { isModelBundle } from '../model-signing/model-bundle.ts';
import { below, shaped } from '../shaped.ts';
import { bundleType, readEnvelope } from './envelope.ts';

const mediaTypes = [
  bundleType,
  'application/vnd.dev.sigstore.bundle+json;version=0.3',
  'application/vnd.dev.sigstore.bundle+json;version=0.2',
  'application/vnd.dev.sigstore.bundle+json;version=0.1',
];

const some = z.looseObject({}).nullish();
const certificate = z.looseObject({ rawBytes: z.base64('must be base64').min(1, 'must not be empty') });
/** Members of which a bundle has exactly one (Sigstore protobuf-specs, `oneof`). */
const content = ['dsseEnvelope', 'messageSignature'] as const;
const keys = ['certificate', 'x509CertificateChain', 'publicKey'] as const;

function hasOne<Member extends string>(members: readonly Member[]) {
  return (one: Readonly<Partial<Record<Member, unknown>>>) =>
    members.filter((member) => one[member] != null).length === 1;
}

const shape = z
  .looseObject({
    mediaType: z.enum(mediaTypes),
    verificationMaterial: z
      .looseObject({
        certificate: certificate.nullish(),
        x509CertificateChain: z.looseObject({ certificates: z.array(certificate).min(1) }).nullish(),
        publicKey: some,
        tlogEntries: z.array(z.looseObject({ integratedTime: z.coerce.string().nullish() })).nullish(),
      })
      .refine(hasOne(keys), `must have exactly one of ${keys.join(', ')}`),
    // A bundle has the material to check one signature.
    dsseEnvelope: z.looseObject({ signatures: z.tuple([z.unknown()], 'must have one signature') }).nullish(),
    messageSignature: z
      .looseObject({
        messageDigest: z.looseObject({ algorithm: z.string(), digest: z.base64() }).nullish(),
        signature: z.base64().min(1),
      })
      .nullish(),
  })
  .refine(hasOne(content), `must have exactly one of ${content.join(', ')}`)
  .refine((bundle) => !isNew(bundle.mediaType) || !bundle.verificationMaterial.x509CertificateChain, {
    error: 'belongs to earlier versions; v0.3 has a certificate',
    path: ['verificationMaterial', 'x509CertificateChain'],
  });

function isNew(mediaType: string): boolean {
  return mediaType === bundleType || mediaType.endsWith('version=0.3');
}

type Bundle = z.output<typeof shape>;

/** Sigstore bundles v0.1 to v0.3. */
export const sigstoreBundle: EvidenceKind = {
  name: 'sigstore-bundle',
  title: 'Sigstore bundle',
  recognises: (document) => isBundle(document) && !isModelBundle(document),
  read: readBundle,
};

function isBundle({ mediaType, verificationMaterial }: JsonObject): boolean {
  if (mediaType === undefined) return verificationMaterial !== undefined;
  return typeof mediaType === 'string' && mediaType.startsWith('application/vnd.dev.sigstore.bundle');
}

/** @throws EvidenceProblem. */
export function readBundle(document: JsonObject): Evidence {
  const bundle = shaped(shape, document, 'The Sigstore bundle');
  const logged = loggedAt(bundle);
  const evidence = bundle.dsseEnvelope
    ? below('/dsseEnvelope', () => readEnvelope(bundle.dsseEnvelope as JsonObject))
    : ofMessage(bundle.messageSignature);
  return { ...(logged && { time: logged }), ...evidence, signature: { bundle: document } };
}

const sha256Bytes = 32;

/** A signature of bytes, of which the bundle has only the digest. */
function ofMessage(message: Bundle['messageSignature']): Evidence {
  const { algorithm, digest } = message?.messageDigest ?? {};
  const bytes = Buffer.from(digest ?? '', 'base64');
  if (algorithm !== 'SHA2_256' || bytes.length !== sha256Bytes)
    throw new EvidenceProblem(
      'The bundle does not say of which bytes it is: it needs a SHA2_256 messageDigest of 32 bytes.',
      '/messageSignature/messageDigest',
    );
  return { about: [{ digests: { sha256: bytes.toString('hex') } }] };
}

/** When the first log entry was made. The newest logs do not say so. */
function loggedAt({ verificationMaterial: { tlogEntries } }: Bundle): string | undefined {
  const seconds = Number(tlogEntries?.[0]?.integratedTime ?? 0);
  const isTime = Number.isSafeInteger(seconds) && seconds > 0 && seconds < 1e11;
  return isTime ? new Date(seconds * 1_000).toISOString() : undefined;
}
