/** A request without a usable answer. The message is a sentence for the reader. */
export class Failure extends Error {
  /** Of the answer; 0 if there was none. */
  readonly status: number;

  constructor(message: string, status: number, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

/** @typeParam Answer a type of the contract. */
export async function askJson<Answer>(address: string, init?: RequestInit): Promise<Answer> {
  return await (await ask(address, init)).json();
}

/** @throws Failure unless the service answers with success. */
export async function ask(address: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(address, init).catch((cause) => {
    if (init?.signal?.aborted) throw cause;
    throw new Failure('The service does not answer. Is it running, and is the network there?', 0, cause);
  });
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({}));
  throw new Failure(error ?? `The service answered ${response.status}.`, response.status);
}

export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
