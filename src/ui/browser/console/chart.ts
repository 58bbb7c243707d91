import uPlot from 'uplot';
import type { ExchangeSeriesAnswer } from '../../../contract/control-plane/runtime-records.ts';
import { counted } from '../../../contract/words/text.ts';
import { askJson, sentenceOf } from '../api.ts';
import { element } from '../element.ts';
import { localTime } from '../times.ts';
import { canvasFill, cssFill, type Pattern } from './patterns.ts';

type Bucket = ExchangeSeriesAnswer['buckets'][number];

/** The outcomes of exchanges, as their bars are drawn: the smaller sums over the larger ones. */
const outcomes: readonly {
  readonly label: string;
  readonly colour: string;
  readonly pattern: Pattern;
  readonly own: (bucket: Bucket) => number;
}[] = [
  {
    label: 'ok',
    colour: 'artefact',
    pattern: 'solid',
    own: ({ count, errors, denied }) => count - errors - denied,
  },
  { label: 'denied', colour: 'actor', pattern: 'stripes', own: ({ denied }) => denied },
  { label: 'error', colour: 'alarm', pattern: 'grid', own: ({ errors }) => errors },
];
/** Numbers of exchanges are whole. */
const wholeSteps = Array.from({ length: 9 }, (_, at) => [1, 2, 5].map((first) => first * 10 ** at)).flat();

const lengths: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
const height = 190;
const durationHeight = 140;
const axisWidth = 76;
/** Buckets without exchanges are left out of a longer table. */
const longTable = 48;

let plots: readonly uPlot[] = [];
let buckets: readonly Bucket[] = [];

async function load(): Promise<void> {
  const figure = document.getElementById('timeline');
  if (!figure) return;
  const { series = '', from = '', to = '', interval = '' } = figure.dataset;
  try {
    const query = new URLSearchParams({ from, to, interval });
    ({ buckets } = await askJson<ExchangeSeriesAnswer>(`${series}?${query}`));
    draw(figure);
    document.getElementById('series')?.replaceChildren(table(figure));
    document.getElementById('totals')?.replaceChildren(totals());
  } catch (error) {
    figure.querySelector('figcaption')?.replaceChildren(sentenceOf(error));
  }
}

function draw(figure: HTMLElement): void {
  for (const plot of plots) plot.destroy();
  const [counts, durations] = ['counts', 'durations'].map((id) => document.getElementById(id));
  if (!counts || !durations) return;
  const colour = (name: string) => resolved(figure, `var(--${name})`);
  const axis = {
    stroke: colour('quiet'),
    grid: { stroke: colour('edge'), width: 1 },
    ticks: { show: false },
  };
  const width = counts.clientWidth;
  const length = lengths[figure.dataset.interval ?? ''] ?? 0;
  const xs = buckets.map(({ start }) => Date.parse(start) / 1_000);
  const bars = uPlot.paths.bars?.({ size: [0.8, 40], align: 1 });
  const bar = ({ label, colour: name, pattern, own }: (typeof outcomes)[number]) => ({
    label,
    fill: canvasFill(pattern, colour(name), colour('paper')),
    stroke: colour(name),
    width: 0,
    points: { show: false },
    ...(bars && { paths: bars }),
    value: (_: uPlot, __: number, ___: number, at: number | null) => {
      const bucket = at === null ? undefined : buckets[at];
      return bucket ? String(own(bucket)) : '–';
    },
  });
  const line = (label: string, name: string, dash: number[]) => ({
    label,
    stroke: colour(name),
    width: 1.5,
    dash,
    points: { size: 5 },
    value: (_: uPlot, ms: number | null) => (ms === null ? '–' : `${Math.round(ms)} ms`),
  });
  // The last bar has the same width as the others.
  const x = { range: [xs[0] ?? 0, (xs.at(-1) ?? 0) + length / 1_000] as [number, number] };
  const cursor = { sync: { key: 'timeline' }, drag: { x: true, y: false, setScale: false } };
  const hooks = { setSelect: [(plot: uPlot) => zoom(plot, figure)] };
  const common = { width, cursor, hooks };
  const markers = {
    width: 1,
    stroke: (_: uPlot, at: number) => colour(outcomes[at - 1]?.colour ?? 'edge'),
    fill: (_: uPlot, at: number) => {
      const outcome = outcomes[at - 1];
      return outcome ? cssFill(outcome.pattern, colour(outcome.colour)) : '';
    },
  };
  const time = {
    label: 'Time',
    value: (_: uPlot, at: number | null) => (at === null ? '–' : localTime(at * 1_000)),
  };
  plots = [
    new uPlot(
      {
        ...common,
        height,
        legend: { markers },
        series: [time, ...outcomes.map(bar)],
        axes: [axis, { ...axis, size: axisWidth, incrs: wholeSteps }],
        scales: { x, y: { range: (_, __, most) => [0, Math.max(most, 4) * 1.05] } },
      },
      [
        xs,
        buckets.map(({ count }) => count),
        buckets.map(({ errors, denied }) => errors + denied),
        buckets.map(({ errors }) => errors),
      ],
      counts,
    ),
    new uPlot(
      {
        ...common,
        height: durationHeight,
        legend: { markers: { dash: (_, at) => (at === 2 ? 'dashed' : 'solid') } },
        series: [time, line('p50', 'accent', []), line('p99', 'statement', [6, 4])],
        axes: [
          axis,
          {
            ...axis,
            size: axisWidth,
            incrs: wholeSteps,
            values: (_, ticks) => ticks.map((tick) => `${tick} ms`),
          },
        ],
        scales: { x, y: { range: (_, __, most) => [0, Math.max(most, 1) * 1.1] } },
      },
      [xs, buckets.map((bucket) => bucket.p50_ms), buckets.map((bucket) => bucket.p99_ms)],
      durations,
    ),
  ];
}

/** A canvas needs colours without variables. */
function resolved(figure: HTMLElement, colour: string): string {
  figure.style.color = colour;
  const { color } = getComputedStyle(figure);
  figure.style.color = '';
  return color;
}

/** Shows the chosen part of the chart. */
function zoom({ select, posToVal }: uPlot, { dataset }: HTMLElement): void {
  if (select.width < 5) return;
  const [from, to] = [select.left, select.left + select.width].map((at) => posToVal(at, 'x') * 1_000);
  location.href = spanAddress(dataset.page ?? '', from ?? 0, to ?? 0);
}

function spanAddress(page: string, from: number, to: number): string {
  const iso = (moment: number) => new Date(Math.round(moment)).toISOString();
  return `${page}&${new URLSearchParams({ from: iso(from), to: iso(to) })}#timeline`;
}

/** How many exchanges there are in the time of the chart, by outcome. */
function totals(): string {
  const sum = (own: (bucket: Bucket) => number) => buckets.reduce((all, bucket) => all + own(bucket), 0);
  const parts = outcomes.map(({ label, own }) => `${label} ${sum(own).toLocaleString('en')}`);
  return `${counted(
    sum(({ count }) => count),
    'exchange',
  )}: ${parts.join(', ')}`;
}

/** The numbers of the chart. Each row leads to the exchanges of its bucket. */
function table({ dataset }: HTMLElement): HTMLElement {
  const length = lengths[dataset.interval ?? ''] ?? 0;
  const shown = buckets.length > longTable ? buckets.filter(({ count }) => count > 0) : buckets;
  const ms = (value: number | null) => (value === null ? '–' : `${Math.round(value)} ms`);
  const rows = shown.map(({ start, count, errors, denied, p50_ms: p50, p99_ms: p99 }) => {
    const at = Date.parse(start);
    const link = element('a', { href: spanAddress(dataset.page ?? '', at, at + length) }, localTime(start));
    const cells = [String(count), String(errors), String(denied), ms(p50), ms(p99)];
    const values = cells.map((text, column) => element('td', { 'data-label': heads[column + 1] }, text));
    return element('tr', {}, element('th', { scope: 'row' }, link), ...values);
  });
  const head = element('tr', {}, ...heads.map((text) => element('th', { scope: 'col' }, text)));
  return element('table', { class: 'records' }, element('thead', {}, head), element('tbody', {}, ...rows));
}

const heads = ['From', 'Exchanges', 'Errors', 'Denied', 'p50', 'p99'];

function redraw(): void {
  const figure = document.getElementById('timeline');
  if (figure && buckets.length > 0) draw(figure);
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
let width = innerWidth;
addEventListener('resize', () => {
  if (innerWidth === width) return;
  width = innerWidth;
  redraw();
});
addEventListener('content', () => void load());
void load();
