/** @import { Lineage } from './graph.js' */
/** @import { Question } from './question.js' */
/** @import { ShownNode, View } from './shown.js' */
import { announce } from '../announce.js';
import { part } from '../element.js';
import { counted } from '../words.js';
import { copy } from './copying.js';
import { DetailsPanel } from './details-panel.js';
import { Camera } from './drawing/camera.js';
import { captionOf } from './drawing/captions.js';
import { Drawing } from './drawing/drawing.js';
import { anchored, placed } from './drawing/layout.js';
import { Graph } from './graph.js';
import { askLineage } from './lineage-api.js';
import { Names } from './names.js';
import { hideNotice, showFailure, showNothingBeside } from './notice.js';
import { QuestionForm } from './question-form.js';
import { firstView, shown } from './shown.js';
import { takenAtOnce } from './stacks.js';
import { walked } from './walk.js';

/** The page: loads lineages, keeps what is loaded and opened, and draws it. */
class LineagePage {
  #start = part('lineage', HTMLElement).dataset.id ?? '';
  #view = part('view', HTMLElement);
  #drawing = new Drawing(part('world', HTMLElement), {
    select: (id) => this.#select(id),
    toggle: (id) => this.#toggle(id),
  });
  #camera = new Camera(this.#view, part('world', HTMLElement));
  #form = new QuestionForm((question, before) => this.#changed(question, before));
  #panel = new DetailsPanel({ find: (id) => this.#find(id), expand: (id) => this.#expand(id) });
  #names = new Names();
  #asking = new AbortController();
  #graph = new Graph({ id: this.#start, nodes: [], edges: [] });
  /** @type {View} */
  #opened = firstView(this.#graph, false);
  /** @type {Map<string, ShownNode>} */
  #shown = new Map();
  /** @type {string | undefined} */
  #selected;
  #isStale = false;

  constructor() {
    this.#view.addEventListener('keydown', (event) => this.#key(event));
    this.#view.addEventListener('focusin', ({ target }) => this.#focused(this.#drawing.nodeAt(target)));
    const on = (/** @type {string} */ id, /** @type {() => void} */ act) =>
      part(id, HTMLElement).addEventListener('click', act);
    on('zoom-in', () => this.#camera.zoomIn());
    on('zoom-out', () => this.#camera.zoomOut());
    on('fit', () => this.#camera.fit(this.#drawing.places.values()));
    on('copy-start', () => copy(part('start-id', HTMLElement), part('copy-start', HTMLElement)));
  }

  async load() {
    await this.#ask(this.#start, this.#form.question, (answer) => {
      this.#graph = new Graph(answer);
      this.#start = answer.id;
      this.#selected = answer.id;
      this.#opened = firstView(this.#graph, this.#form.question.whole);
      this.#draw();
      this.#camera.open(this.#drawing.places, answer.id);
      const counts = `${counted(answer.nodes.length, 'node', 'nodes')}, ${counted(answer.edges.length, 'edge', 'edges')}.`;
      announce(counts);
      if (answer.edges.length === 0) showNothingBeside();
    });
  }

  /**
   * Loads a lineage. Only the answer to the last request is used.
   * @param {string} id
   * @param {Question} question
   * @param {(answer: Lineage) => void} use
   */
  async #ask(id, question, use) {
    this.#asking.abort();
    const asking = new AbortController();
    this.#asking = asking;
    this.#view.setAttribute('aria-busy', 'true');
    try {
      const answer = await askLineage(id, question, asking.signal);
      hideNotice();
      use(answer);
    } catch (error) {
      if (!asking.signal.aborted) showFailure(error, () => void this.#ask(id, question, use));
    } finally {
      if (this.#asking === asking) this.#view.removeAttribute('aria-busy');
    }
  }

  /**
   * @param {Question} question
   * @param {Question | undefined} before
   */
  #changed(question, before) {
    if (question.direction !== before?.direction || question.depth !== before.depth) return void this.load();
    this.#opened = { ...firstView(this.#graph, question.whole), asked: this.#opened.asked };
    this.#draw();
  }

  /** Redraws while one node keeps its position. */
  #draw(still = this.#start) {
    const picture = shown(this.#graph, this.#opened);
    this.#shown = new Map(picture.nodes.map((node) => [node.id, node]));
    const layout = placed(picture);
    this.#drawing.draw(picture, anchored(layout, this.#drawing.places.get(still), layout.places.get(still)));
    this.#write();
    this.#tell();
    void this.#names.learn(this.#graph, [...this.#shown.keys()], () => this.#writeSoon());
  }

  /** Names arrive one by one and are written together. */
  #writeSoon() {
    if (this.#isStale) return;
    this.#isStale = true;
    requestAnimationFrame(() => {
      this.#isStale = false;
      this.#write();
      this.#panel.refresh();
    });
  }

  #write() {
    for (const node of this.#shown.values()) {
      this.#drawing.write(node.id, captionOf(node, this.#graph, this.#names));
    }
    this.#drawing.mark(this.#selected, this.#start);
  }

  #tell() {
    this.#panel.show({
      graph: this.#graph,
      names: this.#names,
      shown: this.#shown,
      selected: this.#selected,
      isAsked: (id) => this.#opened.asked.has(id),
    });
  }

  /** @param {string | undefined} id */
  #select(id) {
    if (id === this.#selected) return;
    this.#selected = id;
    this.#drawing.mark(id, this.#start);
    this.#tell();
  }

  /** @param {string | undefined} id */
  #focused(id) {
    if (id === undefined) return;
    this.#camera.reveal(this.#drawing.places.get(id));
    this.#select(id);
  }

  /** Selects a node and draws the path to it if needed. @param {string} id */
  #find(id) {
    if (!this.#shown.has(id)) {
      const way = this.#graph.wayTo(id).map(({ key }) => key);
      this.#opened = { ...this.#opened, revealed: new Set([...this.#opened.revealed, ...way]) };
      this.#draw();
    }
    this.#select(id);
    this.#camera.reveal(this.#drawing.places.get(id));
  }

  /** Shows the hidden edges of a node, loads missing ones, or folds the node if all are shown. @param {string} id */
  #toggle(id) {
    const node = this.#shown.get(id);
    if (node?.stack) return this.#take(id, node.stack);
    const isMissing = (this.#graph.nodes.get(id)?.hidden ?? 0) > 0 && !this.#opened.asked.has(id);
    if (isMissing) return this.#expand(id);
    const { opened } = this.#opened;
    this.#opened = {
      ...this.#opened,
      opened: opened.has(id) ? opened.difference(new Set([id])) : opened.union(new Set([id])),
    };
    this.#draw(id);
  }

  /**
   * Unstacks more nodes and selects the first of them.
   * @param {string} id
   * @param {import('./stacks.js').Stack} stack
   */
  #take(id, { members, beside }) {
    const taken = (this.#opened.taken.get(id) ?? 0) + takenAtOnce;
    this.#opened = { ...this.#opened, taken: new Map([...this.#opened.taken, [id, taken]]) };
    this.#draw(beside);
    this.#drawing.focus(members[0] ?? beside);
  }

  /** Loads the neighbourhood of a node. @param {string} id */
  #expand(id) {
    void this.#ask(id, { ...this.#form.question, depth: 1 }, (answer) => {
      const known = this.#graph.nodes.size;
      this.#graph.merge(answer);
      const { opened, asked } = this.#opened;
      const one = new Set([id]);
      this.#opened = { ...this.#opened, opened: opened.union(one), asked: asked.union(one) };
      this.#draw(id);
      announce(`${counted(this.#graph.nodes.size - known, 'new node', 'new nodes')}.`);
    });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.#drawing.nodeAt(event.target) ?? this.#selected ?? this.#start;
    if (this.#camera.key(event) || this.#nodeKey(event.key, at)) event.preventDefault();
  }

  /**
   * @param {string} key
   * @param {string} at
   * @returns {boolean} whether the key was handled
   */
  #nodeKey(key, at) {
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

void new LineagePage().load();
