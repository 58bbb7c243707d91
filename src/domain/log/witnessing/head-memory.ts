import { isSameHash } from '../merkle/hashing.ts';
import type { HeadGuard, TreeHead } from '../ports.ts';
import type { StoredTree } from './ask-witness.ts';
import { throwOtherHistory } from './other-history.ts';

/** Keeps the head that was signed last, outside of the store. */
export interface HeadMemory {
  /** How an error names it, such as "The head file /var/lib/cairn-head names". */
  readonly says: string;
  /** @throws ServiceError `unavailable` if it cannot be read, or keeps the head of another log. */
  last(origin: string): Promise<TreeHead | undefined>;
  /** It is durable when this resolves. */
  remember(head: TreeHead): Promise<void>;
}

/** Signs nothing that contradicts a remembered head, and remembers each head before it is signed. */
export function rememberedHeads(memory: HeadMemory, tree: StoredTree): HeadGuard {
  return {
    async admit(head) {
      const last = await memory.last(head.origin);
      if (last) {
        const size = await tree.size();
        const seen = { size: last.size, isProven: true };
        if (last.size > size)
          throwOtherHistory(memory.says, head.origin, { code: 'larger_tree', ...seen }, size);
        if (!isSameHash(last.root, await tree.root(last.size)))
          throwOtherHistory(memory.says, head.origin, { code: 'other_tree', ...seen }, size);
      }
      if (!last || head.size > last.size) await memory.remember(head);
    },
  };
}

/** A service that goes on while its store is replaced knows what it has signed itself. */
export function headInMemory(): HeadMemory {
  let last: TreeHead | undefined;
  return {
    says: 'This process has signed',
    last: async (origin) => (last?.origin === origin ? last : undefined),
    remember: async (head) => {
      last = head;
    },
  };
}
