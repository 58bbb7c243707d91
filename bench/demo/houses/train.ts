// Fits a linear model to train.csv by gradient descent, and compares it with test.csv.
import { readFileSync, writeFileSync } from 'node:fs';

interface Params {
  readonly features: readonly string[];
  readonly rate: number;
  readonly epochs: number;
}

type House = Readonly<Record<string, number>>;

function readHouses(file: string): House[] {
  const [head = '', ...rows] = readFileSync(file, 'utf8').trim().split('\n');
  const columns = head.split(',');
  return rows.map((row) => Object.fromEntries(row.split(',').map((cell, at) => [columns[at], Number(cell)])));
}

const { features, rate, epochs } = JSON.parse(readFileSync('params.json', 'utf8')) as Params;
const weights = new Map(features.map((feature) => [feature, 0]));
let base = 0;
const guess = (house: House) =>
  [...weights].reduce((sum, [feature, weight]) => sum + weight * (house[feature] ?? 0), base);
const errorOf = (house: House) => guess(house) - (house.price ?? 0);

const houses = readHouses('train.csv');
for (let epoch = 0; epoch < epochs; epoch += 1) {
  for (const house of houses) {
    const step = rate * errorOf(house);
    base -= step;
    for (const [feature, weight] of weights) weights.set(feature, weight - step * (house[feature] ?? 0));
  }
}

const errors = readHouses('test.csv').map((house) => Math.abs(errorOf(house)));
const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
const rounded = (value: number) => Number(value.toFixed(4));
const write = (file: string, value: object) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
write('model.json', { base, weights: Object.fromEntries(weights) });
write('metrics.json', { mean_error: rounded(mean), worst_error: rounded(Math.max(...errors)) });
