import { carBlocks } from '../../src/domain/integrity/car/car.ts';

/** The blocks of a CAR in memory, in their order, not verified. */
export async function blocksOf(car: Uint8Array): Promise<{ cid: string; bytes: Buffer }[]> {
  const blocks: { cid: string; bytes: Buffer }[] = [];
  for await (const { cid, bytes } of carBlocks(once(car)))
    blocks.push({ cid: cid.text, bytes: Buffer.concat(await Array.fromAsync(bytes)) });
  return blocks;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
