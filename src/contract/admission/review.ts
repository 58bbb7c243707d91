import { z } from 'zod';

/** What an API server asks a webhook (`admission.k8s.io/v1`). Members that are not needed are left out. */
export const admissionReview = z.object({
  apiVersion: z.literal('admission.k8s.io/v1'),
  kind: z.literal('AdmissionReview'),
  request: z.object({
    uid: z.string().min(1).max(200),
    kind: z.object({ group: z.string().default(''), kind: z.string() }),
    subResource: z.string().optional(),
    namespace: z.string().optional(),
    name: z.string().optional(),
    operation: z.enum(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']),
    userInfo: z.object({ username: z.string().optional() }).optional(),
    object: z.unknown().optional(),
    oldObject: z.unknown().optional(),
    dryRun: z.boolean().nullish(),
  }),
});

export type AdmissionRequest = z.output<typeof admissionReview>['request'];

/** What the webhook answers. */
export interface AdmissionAnswer {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: { readonly code: number; readonly reason: string; readonly message: string };
  readonly warnings?: readonly string[];
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

export function reviewOf(response: AdmissionAnswer) {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
}

/** What failing images lead to. */
export const admissionModes = ['enforce', 'warn', 'audit'] as const;
export type AdmissionMode = (typeof admissionModes)[number];
