import { lineageParams } from '../../../contract/integrity/lineage.ts';
import { type ProvenanceFormat, provenanceQuery } from '../../../contract/integrity/provenance.ts';
import { anyJson, bytes } from '../../../contract/values.ts';
import { callerKey, known } from '../../../domain/access/access.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { scopeFor } from '../../../domain/integrity/access/statement-scope.ts';
import {
  type Ancestry,
  type AncestryPorts,
  ancestryOf,
} from '../../../domain/integrity/evidence/out/ancestry.ts';
import { cycloneDx } from '../../../domain/integrity/evidence/out/cyclonedx.ts';
import { provJson } from '../../../domain/integrity/evidence/out/prov.ts';
import { hasDigest, slsaStatements } from '../../../domain/integrity/evidence/out/slsa.ts';
import { directions } from '../../../domain/integrity/lineage/edges.ts';
import {
  type LineagePorts,
  lineageBounds,
  namedLineage,
  traceLineage,
} from '../../../domain/integrity/lineage/lineage.ts';
import type { GraphStore, WorkLimit } from '../../../domain/integrity/ports.ts';
import { inTotoType, signDsse } from '../../../domain/integrity/proofs/dsse.ts';
import { runKind } from '../../../domain/integrity/runs/runs.ts';
import type { RetractedReader, Trust } from '../../../domain/integrity/signatures/trust.ts';
import type { Signer } from '../../../domain/integrity/signer.ts';
import type { App } from '../../../platform/http/app.ts';
import { wholeAnswer } from '../../answering.ts';
import { errorAnswer } from '../../answers.ts';
import { operation } from '../operation.ts';

const types = {
  slsa: 'application/x-ndjson',
  'slsa-dsse': 'application/x-ndjson',
  prov: 'application/json',
  cyclonedx: 'application/vnd.cyclonedx+json',
} as const satisfies Record<ProvenanceFormat, string>;

export type ProvenanceRoutes = LineagePorts &
  AncestryPorts & {
    /** Limits how many lineages are in memory. */
    readonly lineages: WorkLimit;
    readonly graphs: Pick<GraphStore, 'get'>;
    readonly retracted: RetractedReader;
    readonly signer: Signer;
    readonly newId: () => string;
  };

/** What an artefact was made from, in the formats of other tools. */
export function provenanceRoutes(app: App, ports: ProvenanceRoutes): void {
  operation(app, 'GET /lineage/v1/{id}/provenance', {
    access: known,
    tag: 'Search',
    summary: 'Read what an artefact was made from in a format of other tools',
    description:
      'The runs upstream of the artefact, and what they used and made. SLSA provenance has a line for each run, that of the artefact first.',
    params: lineageParams,
    query: provenanceQuery,
    answers: {
      200: {
        description: 'The provenance that is visible to the caller',
        content: {
          [types.prov]: { schema: anyJson },
          [types.cyclonedx]: { schema: anyJson },
          [types.slsa]: { schema: bytes },
        },
      },
      404: errorAnswer('Nothing is known about it, no run has made it, or the graph does not exist'),
    },
    handle: async ({ context, principal, params, query }) => {
      const { format } = query;
      const scope = await scopeFor(ports.graphs, principal, query.graph_id ?? null);
      const read = async () => {
        const ancestry = await ancestryAt(ports, params.id, scope, format === 'slsa-dsse');
        if (format.startsWith('slsa')) assertSubject(ancestry);
        return await textOf(ports, ancestry, format);
      };
      const text = await ports.lineages.run(read, callerKey(principal));
      return wholeAnswer(context, text, {
        'content-type': types[format],
        'x-content-type-options': 'nosniff',
      });
    },
  });
}

/** @throws ServiceError `not_found`, `too_complex`, `invalid_request` for runs that the service cannot vouch for. */
async function ancestryAt(
  ports: ProvenanceRoutes,
  start: string,
  scope: Awaited<ReturnType<typeof scopeFor>>,
  signed: boolean,
): Promise<Ancestry> {
  const limit = lineageBounds.limit.most;
  const query = { start, flows: directions.upstream, limit, kinds: [runKind] as const };
  const traced = await traceLineage(ports, query, scope, ports.retracted);
  if (traced.isTruncated)
    throw new ServiceError(
      'too_complex',
      `The lineage has more than ${limit} nodes, so this would not be all of it.`,
    );
  const lineage = await namedLineage(ports.names, traced, scope);
  const { leftOut, ...ancestry } = await ancestryOf(ports, lineage, scope, signed ? isSigned : () => true);
  if (leftOut.length > 0)
    throw new ServiceError(
      'invalid_request',
      `The service does not sign for the run ${leftOut[0]}, because its registrant has not. Ask for format=slsa, and sign with a key of your own.`,
    );
  if (ancestry.runs.length === 0)
    throw new ServiceError('not_found', `No run is known that made ${start}, so it has no provenance.`);
  return ancestry;
}

/** @throws ServiceError `invalid_request` for what an in-toto Statement cannot name. */
function assertSubject({ subject, runs }: Ancestry): void {
  const isKnown = hasDigest(subject);
  if (isKnown && runs.some(({ outputs }) => outputs.some(hasDigest))) return;
  const what = isKnown ? `What ${subject.id} has made` : subject.id;
  const message = `${what} has no digest, so SLSA provenance cannot be about it. Ask for format=prov or format=cyclonedx.`;
  throw new ServiceError('invalid_request', message);
}

/** What only claims may not become signed by being exported. */
function isSigned(trust: Trust | undefined): boolean {
  return trust?.state === 'signed' && trust.isRegistrant === true && trust.isValid === true;
}

async function textOf(
  { signer, newId }: Pick<ProvenanceRoutes, 'signer' | 'newId'>,
  ancestry: Ancestry,
  format: ProvenanceFormat,
): Promise<string> {
  if (format === 'prov') return JSON.stringify(provJson(ancestry));
  if (format === 'cyclonedx') return JSON.stringify(cycloneDx(ancestry, `urn:uuid:${newId()}`));
  const lines: string[] = [];
  for (const statement of slsaStatements(ancestry)) {
    const payload = Buffer.from(JSON.stringify(statement));
    const line = format === 'slsa-dsse' ? await signDsse(signer, inTotoType, payload) : statement;
    lines.push(`${JSON.stringify(line)}\n`);
  }
  return lines.join('');
}
