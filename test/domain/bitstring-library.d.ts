declare module '@digitalbazaar/bitstring' {
  export class Bitstring {
    constructor(options: { readonly length: number } | { readonly buffer: Uint8Array });
    readonly length: number;
    set(position: number, on: boolean): void;
    get(position: number): boolean;
    encodeBits(): Promise<string>;
    static decodeBits(options: { readonly encoded: string }): Promise<Uint8Array>;
  }
}
