import '../../domain/older-runtimes.ts';

// What browsers of 2024 lack. The bundler translates `await using` for them.

const known: object = Symbol;
if (!('asyncDispose' in known))
  Object.defineProperty(Symbol, 'asyncDispose', { value: Symbol.for('Symbol.asyncDispose') });

/** As much of AsyncDisposableStack as the domain uses. */
export class DisposableWork implements AsyncDisposable {
  #work: (() => PromiseLike<void> | void)[] = [];

  use<Value extends AsyncDisposable>(value: Value): Value {
    this.defer(() => value[Symbol.asyncDispose]());
    return value;
  }

  defer(work: () => PromiseLike<void> | void): void {
    this.#work.push(work);
  }

  move(): DisposableWork {
    const moved = new DisposableWork();
    moved.#work = this.#work;
    this.#work = [];
    return moved;
  }

  async disposeAsync(): Promise<void> {
    for (let work = this.#work.pop(); work; work = this.#work.pop()) await work();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync();
  }
}

globalThis.AsyncDisposableStack ??= DisposableWork as unknown as AsyncDisposableStackConstructor;
