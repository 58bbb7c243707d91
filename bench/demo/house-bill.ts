import { createHash } from 'node:crypto';

/** A bill of materials of a model (CycloneDX 1.6), with what was found about a part of it. */
export function billOf(model: Uint8Array): string {
  const content = createHash('sha256').update(model).digest('hex');
  return JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        'bom-ref': 'model',
        type: 'machine-learning-model',
        name: 'house-prices',
        hashes: [{ alg: 'SHA-256', content }],
      },
    },
    components: [
      {
        'bom-ref': 'node',
        type: 'platform',
        name: 'node',
        version: '26.10.0',
        purl: 'pkg:generic/node@26.10.0',
        licenses: [{ license: { id: 'MIT' } }],
      },
    ],
    dependencies: [{ ref: 'model', dependsOn: ['node'] }],
    vulnerabilities: [
      {
        id: 'CVE-2026-0001',
        ratings: [{ severity: 'critical' }],
        affects: [{ ref: 'node' }],
        analysis: { state: 'not_affected', justification: 'code_not_reachable' },
      },
    ],
  });
}
