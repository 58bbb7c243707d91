import { counted } from '../../../contract/words/text.ts';
import { copy } from '../copying.ts';
import { announce, element, part } from '../element.ts';
import { failureParts } from '../failed.ts';
import '../file-drop.ts';
import { askNames } from '../statements/names.ts';
import type { Names } from '../statements/shown-text.ts';
import { DetailsPanel } from './details-panel.ts';
import { Camera } from './drawing/camera.ts';
import { captionOf } from './drawing/captions.ts';
import { Drawing } from './drawing/drawing.ts';
import { labelWidth, lineLabels } from './drawing/labels.ts';
import { anchored, placed, walked } from './drawing/layout.ts';
import { Graph, type Lineage } from './graph.ts';
import { askLineage } from './lineage-api.ts';
import { type Question, QuestionForm } from './question.ts';
import { firstView, type ShownNode, shown, type View } from './shown.ts';
import { type Stack, takenAtOnce } from './stacks.ts';
import { namelessIn } from './titles.ts';

/** What to do next, by the status of an answer. */
const advices: Readonly<Record<number, string>> = {
  401: 'The service accepts only bearer tokens, and a page has none. On the command line, run “cairn login” and then “cairn lineage” with the same identifier.',
  403: 'Only users with the permission can see it.',
  404: 'Check the identifier, try both directions, or store statements that refer to it.',
};

/** The page: loads lineages, keeps what is loaded and opened, and draws it. */
class LineagePage {
  #start = part('lineage').dataset.id ?? '';
  readonly #view = part('view');
  readonly #drawing = new Drawing(part('world'), {
    select: (id) => this.#select(id),
    toggle: (id) => this.#toggle(id),
  });
  readonly #camera = new Camera(this.#view, part('world'));
  readonly #form = new QuestionForm((question, before) => this.#changed(question, before));
  readonly #panel = new DetailsPanel();
  #asking = new AbortController();
  #graph = new Graph({ id: this.#start, nodes: [], edges: [] });
  #opened = firstView(this.#graph, { facts: false, trust: null });
  #shown = new Map<string, ShownNode>();
  #selected: string | undefined;

  constructor() {
    this.#view.addEventListener('keydown', (event) => this.#key(event));
    this.#view.addEventListener('focusin', ({ target }) => this.#focused(this.#drawing.nodeAt(target)));
    const on = (id: string, act: () => void) => part(id).addEventListener('click', act);
    on('zoom-in', () => this.#camera.zoomIn());
    on('zoom-out', () => this.#camera.zoomOut());
    on('fit', () => this.#camera.fit(this.#drawing.places.values()));
    on('copy-start', () => copy(part('start-id'), part('copy-start')));
  }

  async load() {
    await this.#ask(this.#start, this.#form.question, (answer, names) => {
      this.#graph = new Graph(answer, names);
      this.#start = answer.id;
      this.#selected = answer.id;
      this.#show(firstView(this.#graph, this.#form.question));
      this.#camera.open(this.#drawing.places, answer.id);
      announce(`${counted(answer.nodes.length, 'node')}, ${counted(answer.edges.length, 'edge')}.`);
      if (answer.edges.length > 0) return;
      const isBoth = this.#form.question.direction === 'both';
      const what = isBoth
        ? 'Nothing that you may see leads to it or away from it.'
        : 'Nothing that you may see is in this direction.';
      notify(
        element('p', { role: 'status' }, what),
        isBoth ? '' : element('p', {}, 'Another direction may show more.'),
      );
    });
  }

  /** Loads a lineage. Only the answer to the last request is used. */
  async #ask(id: string, question: Question, use: (answer: Lineage, names: Names) => void) {
    this.#asking.abort();
    const asking = new AbortController();
    this.#asking = asking;
    this.#view.setAttribute('aria-busy', 'true');
    try {
      const answer = await askLineage(id, question, asking.signal);
      const names = await askNames(namelessIn(answer));
      if (asking.signal.aborted) return;
      part('notice').hidden = true;
      use(answer, names);
    } catch (error) {
      const retry = () => void this.#ask(id, question, use);
      if (!asking.signal.aborted) notify(...failureParts(error, advices, retry));
    } finally {
      if (this.#asking === asking) this.#view.removeAttribute('aria-busy');
    }
  }

  #changed(question: Question, before: Question | undefined) {
    if (
      question.direction !== before?.direction ||
      question.depth !== before.depth ||
      question.retracted !== before.retracted
    )
      return void this.load();
    this.#show({ ...firstView(this.#graph, question), asked: this.#opened.asked });
  }

  /** Draws another view while one node keeps its position. */
  #show(change: Partial<View>, still = this.#start) {
    this.#opened = { ...this.#opened, ...change };
    const picture = shown(this.#graph, this.#opened);
    this.#shown = new Map(picture.nodes.map((node) => [node.id, node]));
    const labels = lineLabels(picture.edges);
    const layout = placed(picture, (line) => labelWidth(labels.get(line)));
    const { places } = this.#drawing;
    this.#drawing.draw(picture, labels, anchored(layout, places.get(still), layout.places.get(still)));
    for (const node of picture.nodes) this.#drawing.write(node.id, captionOf(node, this.#graph));
    this.#drawing.mark(this.#selected, this.#start);
    this.#tell();
  }

  #tell() {
    this.#panel.show({
      graph: this.#graph,
      shown: this.#shown,
      selected: this.#selected,
      isAsked: (id) => this.#opened.asked.has(id),
      select: (id) => this.#find(id),
      expand: (id) => this.#expand(id),
    });
  }

  #select(id: string | undefined) {
    if (id === this.#selected) return;
    this.#selected = id;
    this.#drawing.mark(id, this.#start);
    this.#tell();
  }

  #focused(id: string | undefined) {
    if (id === undefined) return;
    this.#camera.reveal(this.#drawing.places.get(id));
    this.#select(id);
  }

  /** Selects a node and draws the path to it if needed. */
  #find(id: string) {
    if (!this.#shown.has(id)) {
      const way = this.#graph.wayTo(id).map(({ key }) => key);
      this.#show({ revealed: new Set([...this.#opened.revealed, ...way]) });
    }
    this.#select(id);
    this.#camera.reveal(this.#drawing.places.get(id));
  }

  /** Shows the hidden edges of a node, loads missing ones, or folds the node if all are shown. */
  #toggle(id: string) {
    const node = this.#shown.get(id);
    if (node?.stack) return this.#take(id, node.stack);
    const isMissing = (this.#graph.nodes.get(id)?.hidden ?? 0) > 0 && !this.#opened.asked.has(id);
    if (isMissing) return this.#expand(id);
    this.#show({ opened: this.#opened.opened.symmetricDifference(new Set([id])) }, id);
  }

  /** Unstacks more nodes and focuses the first of them. */
  #take(id: string, { members, beside }: Stack) {
    const { taken } = this.#opened;
    this.#show({ taken: new Map([...taken, [id, (taken.get(id) ?? 0) + takenAtOnce]]) }, beside);
    this.#drawing.focus(members[0] ?? beside);
  }

  /** Loads the neighbourhood of a node. */
  #expand(id: string) {
    void this.#ask(id, { ...this.#form.question, depth: 1 }, (answer, names) => {
      const known = this.#graph.nodes.size;
      this.#graph.merge(answer, names);
      const { opened, asked } = this.#opened;
      const one = new Set([id]);
      this.#show({ opened: opened.union(one), asked: asked.union(one) }, id);
      announce(`${counted(this.#graph.nodes.size - known, 'new node')}.`);
    });
  }

  #key(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.#drawing.nodeAt(event.target) ?? this.#selected ?? this.#start;
    if (this.#camera.key(event) || this.#nodeKey(event.key, at)) event.preventDefault();
  }

  /** @returns whether the key was handled. */
  #nodeKey(key: string, at: string): boolean {
    const { places, edges } = this.#drawing;
    if (key === '0') this.#camera.fit(places.values());
    else if (key === 'Enter') this.#toggle(at);
    else if (key === 'Escape') this.#select(undefined);
    else if (key === 'Home') this.#drawing.focus(this.#start);
    else if (key.startsWith('Arrow')) this.#drawing.focus(walked(key, at, places, edges) ?? at);
    else return false;
    return true;
  }
}

function notify(...parts: readonly (Node | string)[]): void {
  const notice = part('notice');
  notice.hidden = false;
  notice.replaceChildren(...parts);
}

void new LineagePage().load();
