import {
  type CelInput,
  type CelList,
  type CelValue,
  celList,
  celListConcat,
  isCelList,
  isCelMap,
} from '@bufbuild/cel';
import type { Withdrawn } from '../withdrawn.ts';
import type { Doubt, Missing, Watched } from './doubts.ts';
import { compiledPattern, writtenOut } from './patterns.ts';

/** What a condition may do before it is stopped. A step is an item of a loop, or 64 characters of text. */
const mostSteps = 100_000;
const longestText = 1 << 20;
const charactersPerStep = 64;
const stepsOfPattern = 20;

/** Where a list of facts comes from. */
export interface ListOrigin extends Missing {
  /** Why it may lack something, if it may. */
  readonly lacks: string | undefined;
  /** Whether somebody said that it is empty, if it is. */
  readonly isKnown: boolean;
  /** Whether a filter has chosen from it. */
  readonly isChosen?: boolean;
  /** The statements of its items, which decide if it is read as a whole. */
  readonly statements?: () => readonly string[];
}

/** One loop that runs. What an item has read counts only if the item decides. */
interface Frame {
  readonly loop: bigint;
  /** `any` and `all` may end early. `list`: of a filter or map. */
  readonly makes: string;
  readonly origin: ListOrigin | undefined;
  readonly range: CelValue;
  readonly size: number;
  items: number;
  readonly earlier: Set<string>;
  current: Set<string>;
  isKept: boolean;
}

class Watch {
  steps = 0;
  isTooCostly = false;
  readonly missing: Missing[] = [];
  readonly withdrawn: Withdrawn[] = [];
  readonly cut: Doubt[] = [];
  readonly empty: Doubt[] = [];
  readonly unknown: Doubt[] = [];
  readonly frames: Frame[] = [];
  readonly base = new Set<string>();
  /** The regular expressions of this run. */
  readonly patterns = new Set<string>();
  readonly origins = new WeakMap<object, ListOrigin>();
  /** By call of "in": the list in which it looks. */
  readonly searched = new Map<bigint, ListOrigin | undefined>();
  readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  get statements(): Set<string> {
    return this.frames.at(-1)?.current ?? this.base;
  }

  spend(steps: number): void {
    this.steps += steps;
    if (this.steps <= this.most) return;
    this.isTooCostly = true;
    throw new RangeError('too costly');
  }

  /** Leaves loops inside this one that an error has ended. */
  frameOf(loop: bigint): Frame | undefined {
    const at = this.frames.findLastIndex((frame) => frame.loop === loop);
    if (at === -1) return undefined;
    this.frames.length = at + 1;
    return this.frames[at];
  }
}

let running: Watch | undefined;

function watch(): Watch {
  if (!running) throw new TypeError('A condition runs unwatched.');
  return running;
}

/** Watches one run of a condition. Conditions run to their ends, so that no other begins meanwhile. */
export function watched<Result>(
  run: () => Result,
  most = mostSteps,
): { readonly result: Result; readonly watched: Watched } {
  const own = new Watch(most);
  running = own;
  try {
    const result = run();
    const { missing, withdrawn, cut, empty, unknown, isTooCostly, steps } = own;
    const statements = new Set(own.base);
    for (const { current } of own.frames) for (const one of current) statements.add(one);
    return { result, watched: { statements, missing, withdrawn, cut, empty, unknown, isTooCostly, steps } };
  } finally {
    running = undefined;
  }
}

/** A condition reads what these statements say. */
export function noteStatements(statements: readonly string[]): void {
  const { statements: read } = watch();
  for (const one of statements) read.add(one);
}

export function noteMissing(missing: Missing): void {
  watch().missing.push(missing);
}

export function noteWithdrawn(withdrawn: Withdrawn): void {
  watch().withdrawn.push(withdrawn);
}

export function noteUnknown(doubt: Doubt): void {
  watch().unknown.push(doubt);
}

/** A list of facts for a condition. */
export function factList(items: readonly CelInput[], origin: ListOrigin): CelList {
  const list = celList(items);
  watch().origins.set(list, origin);
  return list;
}

export function spend(steps: number): void {
  watch().spend(steps);
}

export function startLoop(loop: bigint, makes: string, range: CelValue): CelValue {
  const own = watch();
  const origin = typeof range === 'object' && range !== null ? own.origins.get(range) : undefined;
  const size = isCelList(range) || isCelMap(range) ? range.size : 0;
  const items = { items: 0, earlier: new Set<string>(), current: new Set<string>(), isKept: false };
  own.frames.push({ loop, makes, origin, range, size, ...items });
  return range;
}

export function nextItem(loop: bigint): boolean {
  const own = watch();
  own.spend(1);
  const frame = own.frameOf(loop);
  if (frame) nextIn(frame);
  return true;
}

function nextIn(frame: Frame): void {
  if (counts(frame)) for (const one of frame.current) frame.earlier.add(one);
  frame.items += 1;
  frame.current = new Set();
  frame.isKept = false;
}

/** What a filter has left out does not count. */
function counts({ makes, isKept }: Frame): boolean {
  return makes !== 'list' || isKept;
}

export function endLoop(loop: bigint, result: CelValue): CelValue {
  const own = watch();
  const frame = own.frameOf(loop);
  if (!frame) return result;
  own.frames.pop();
  const { makes, origin, size } = frame;
  const isDecided = (makes === 'any' && result === true) || (makes === 'all' && result === false);
  const { statements } = own;
  if (counts(frame)) for (const one of frame.current) statements.add(one);
  if (isDecided) {
    if (makes === 'all' && own.frames.length === 0) noteItem(frame);
    return result;
  }
  for (const one of frame.earlier) statements.add(one);
  if (!origin) return result;
  const { lacks, isKnown, isChosen, statements: _, ...missing } = origin;
  if (lacks) own.cut.push({ code: lacks, ...missing });
  else if (makes === 'all' && size === 0 && !isKnown)
    own.empty.push({ code: isChosen ? 'nothing_chosen' : 'nothing_to_check', ...missing });
  if (makes === 'any' || size === 0) own.missing.push(missing);
  // What was chosen from a list, or made of its items, lacks what the list lacks.
  if (makes === 'list' && isCelList(result))
    own.origins.set(result, { ...missing, lacks, isKnown, isChosen: isChosen || size > 0 });
  return result;
}

/** Of a condition on all items: the first that does not fulfil it. */
function noteItem({ range, items }: Frame): void {
  const item = isCelList(range) ? range.get(items - 1) : undefined;
  const id = item !== undefined && isCelMap(item) ? item.get('id') : item;
  if (typeof id === 'string' && id !== '') noteMissing({ fact: 'all', of: id });
}

const grown = new WeakMap<object, CelValue[]>();

/** A list that `append` makes longer in place. Only the macros use it, so nobody sees it grow. */
export function emptyList(): CelValue {
  const items: CelValue[] = [];
  const list = celList(items as CelInput[]);
  grown.set(list, items);
  return list;
}

export function append(list: CelValue, item: CelValue): CelValue {
  const { frames } = watch();
  const frame = frames.at(-1);
  if (frame) frame.isKept = true;
  grown.get(list as object)?.push(item);
  return list;
}

/** What was put together of lists lacks what any of them lacks. */
export function joinedLists(one: CelList, other: CelList): CelList {
  const own = watch();
  own.spend(one.size + other.size);
  const both = celListConcat(one, other);
  const origins = [one, other].flatMap((list) => own.origins.get(list) ?? []);
  const [first] = origins.toSorted((a, b) => Number(b.lacks !== undefined) - Number(a.lacks !== undefined));
  if (first) {
    const isKnown = origins.every((origin) => origin.isKnown);
    const statements = () => origins.flatMap((origin) => origin.statements?.() ?? []);
    own.origins.set(both, { ...first, isKnown, statements });
  }
  return both;
}

/** A list is used item by item outside of the condition that gave it. */
export function noteList(list: CelList): void {
  const own = watch();
  const origin = own.origins.get(list);
  if (origin?.lacks)
    own.cut.push({ code: origin.lacks, fact: origin.fact, kind: origin.kind, of: origin.of });
}

/** Something is read as a whole. */
export function charge(value: CelValue): CelValue {
  noteWhole(spendOn(value), true);
  if (isCelList(value)) noteItems(value);
  return value;
}

/** A condition reads how many items a list has, or whether it has any. */
export function noteItems(list: CelList): void {
  noteStatements(watch().origins.get(list)?.statements?.() ?? []);
}

/** Something is looked for in a list or an object. `found` follows. */
export function search(call: bigint, within: CelValue): CelValue {
  watch().searched.set(call, spendOn(within));
  return within;
}

/** Whether a search has found something. A list that was cut may have what it has not found. */
export function found(call: bigint, isFound: boolean): boolean {
  noteWhole(watch().searched.get(call), !isFound);
  return isFound;
}

function spendOn(value: CelValue): ListOrigin | undefined {
  const own = watch();
  if (typeof value === 'string') own.spend(Math.ceil(value.length / charactersPerStep));
  if (typeof value !== 'object' || value === null) return undefined;
  if (isCelList(value) || isCelMap(value)) own.spend(value.size);
  return own.origins.get(value);
}

function noteWhole(origin: ListOrigin | undefined, asksForMore: boolean): void {
  if (!origin) return;
  const own = watch();
  const { lacks, isKnown: _, isChosen: __, statements: ___, ...missing } = origin;
  if (lacks && asksForMore) own.cut.push({ code: lacks, ...missing });
  own.missing.push(missing);
}

export function concatenated(one: string, other: string): string {
  if (one.length + other.length > longestText) {
    watch().isTooCostly = true;
    throw new RangeError('too long');
  }
  watch().spend(Math.ceil((one.length + other.length) / charactersPerStep));
  return one + other;
}

/** Regular expressions of RE2 take linear time. */
export function matches(pattern: string, text: string): boolean {
  const own = watch();
  own.spend(stepsOfPattern + Math.ceil((text.length * pattern.length) / charactersPerStep));
  if (!own.patterns.has(pattern)) own.spend(Math.ceil(writtenOut(pattern) / charactersPerStep));
  own.patterns.add(pattern);
  return compiledPattern(pattern).test(text);
}
