import { askJson } from '../api.ts';
import { askDocument as askBlob } from './lineage-api.ts';

interface Submitted {
  readonly documentCid: string;
  readonly submittedAt: string | null;
  readonly submittedBy: string | null;
}

export interface Review extends Submitted {
  readonly decision: string;
}

export interface Declaration extends Submitted {
  readonly controlCids: readonly string[];
  readonly review: Review | null;
}

export interface Certificate {
  readonly kind: string;
  readonly standing: string;
  readonly sourceCid: string;
  readonly policyCid: string | null;
  readonly validUntil: string;
}

/** The parts of an answer of `GET /gov/v1/status/{subject}` that the page shows. */
export interface ProjectGovernance {
  readonly project: string;
  readonly declarations: readonly Declaration[];
  readonly controls: readonly {
    readonly controlCid: string;
    readonly declarationCid: string | null;
    readonly review: Review | null;
  }[];
  readonly certificates: readonly Certificate[];
}

/** What stands for a subject in the projects that the reader may see. */
export async function askGovernance(id: string): Promise<readonly ProjectGovernance[]> {
  return (await askJson(`/gov/v1/status/${encodeURIComponent(id)}`)).projects;
}

/** A JSON document; undefined if the reader cannot see it. */
export async function askDocument(cid: string): Promise<Record<string, unknown> | undefined> {
  return await askBlob(cid).catch(() => undefined);
}
