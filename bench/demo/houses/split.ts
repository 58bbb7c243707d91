// Splits houses.csv into train.csv and test.csv.
import { readFileSync, writeFileSync } from 'node:fs';

const [head = '', ...rows] = readFileSync('houses.csv', 'utf8').trim().split('\n');
const isTest = (_: string, index: number) => index % 5 === 0;
const write = (file: string, lines: readonly string[]) =>
  writeFileSync(file, `${[head, ...lines].join('\n')}\n`);

write(
  'train.csv',
  rows.filter((row, index) => !isTest(row, index)),
);
write('test.csv', rows.filter(isTest));
