import type { PolicyProblem } from '../domain/integrity/policies/read-policy.ts';
import { yamlAdvice } from './words/yaml.ts';

type Problem = PolicyProblem['problem'];
type Sentence = (problem: Problem & { readonly of?: string }, place: string) => string;

/** What is wrong with a policy, in a sentence for whoever writes it. */
export function policyProblemSentence({ place, problem }: Pick<PolicyProblem, 'place' | 'problem'>): string {
  return sentences[problem.code](problem, place);
}

/** The same with its place, as compilers print it: `policy.yaml:7:12: …`. */
export function policyProblemLine(file: string, { line, column, ...problem }: PolicyProblem): string {
  return `${file}:${line}:${column}: ${policyProblemSentence(problem)}`;
}

/** What CEL writes otherwise than other languages. */
function celAdvice(found: string): string {
  const [written = ''] = /^(?:=|and\b|or\b)/.exec(found) ?? [];
  const operator = { '=': '==', and: '&&', or: '||' }[written];
  return operator === undefined ? '' : ` Write ${operator} instead of ${written}.`;
}

const sentences: Readonly<Record<Problem['code'], Sentence>> = {
  too_large: () =>
    'The policy is larger than 1,048,576 bytes, which is the most that is read. Make several of it.',
  not_readable: ({ found, nearest = '' }) =>
    `${found === '' ? 'This' : quoted(found)} is not YAML. ${yamlAdvice(nearest)}`,
  has_aliases: ({ found }) =>
    `*${found} is an alias. A policy is read without aliases. Write the value again.`,
  has_tag: ({ found }) =>
    `${quoted(found)} begins with !, which YAML reads as a tag. Put the whole text in quotes, or write it below |.`,
  said_twice: ({ found }) => `${quoted(found)} is there twice. Remove or rename one.`,
  not_json: ({ found }) =>
    `${quoted(found.toWellFormed())} has no form in JSON. Write whole Unicode characters, and numbers that are finite.`,
  unknown_version: ({ found }) =>
    found === 'nothing'
      ? 'The policy does not say its version. Write cairn: policy/1.'
      : `The version ${quoted(found)} is not known. Write cairn: policy/1.`,
  unknown_member: ({ found, nearest }, place) => {
    const owner = place.slice(0, -found.length).replace(/\.$/, '');
    return `${owner === '' ? 'A policy' : owner} has no member ${quoted(found)}.${meant(nearest)}`;
  },
  wrong_form: ({ found, nearest = 'has another form' }, place) => {
    const name = place === '' ? 'The policy' : place;
    return found === 'nothing'
      ? `${name} is missing. It ${nearest}.`
      : `${name} ${nearest}. It is ${quoted(found)}.`;
  },
  unknown_rule: ({ found, nearest }) => `The policy has no rule ${quoted(found)}.${meant(nearest)}`,

  not_cel: ({ found }) =>
    found === ''
      ? 'The condition ends too early. Complete it.'
      : `The condition cannot be read from ${quoted(found)} on. It must be an expression of CEL.${celAdvice(found)}`,
  unknown_name: ({ found, nearest }) =>
    `There is no fact ${quoted(found)}.${meant(nearest)} "cairn policy facts" lists them.`,
  unknown_field: ({ found, nearest, of = '' }) =>
    `${capital(typeWords(of))} has no fact ${quoted(found)}.${meant(nearest)}`,
  unknown_function: ({ found, nearest }) => `There is no function ${quoted(found)}.${meant(nearest)}`,
  unknown_value: ({ found, nearest, of }) =>
    of === 'signer'
      ? `The policy names no signer ${quoted(found)}.${meant(nearest)}${nearest === undefined ? ' Add it to signers.' : ''}`
      : `This is never ${quoted(found)}.${meant(nearest)}`,
  not_comparable: ({ found, nearest = '' }) =>
    found === nearest
      ? `${capital(typeWords(found))} cannot be compared as a whole. Compare a member, such as id.`
      : `${capital(typeWords(found))} cannot be compared with ${typeWords(nearest)}.`,
  not_a_list: ({ found, of = '' }) => `A list is needed here, but ${quoted(found)} is ${typeWords(of)}.`,
  no_fields: ({ found, of = '' }) =>
    `${quoted(found)} is asked of ${typeWords(of)}. Ask it of its items, with exists(x, x.${found} …) or all(x, x.${found} …).`,
  not_a_bool: ({ found, of = '' }) =>
    `${quoted(found)} is ${typeWords(of)}. Write a comparison, which is true or false.`,
  wrong_operands: ({ found, of = '', nearest = '' }) =>
    isNumber(of) && isNumber(nearest) && of !== nearest
      ? `"${found}" takes two whole numbers or two fractions. Write 1.0 instead of 1.`
      : `"${found}" cannot be used with ${typeWords(of)}${of === nearest ? '' : ` and ${typeWords(nearest)}`}.`,
  wrong_use: ({ found, nearest = '' }) => `${quoted(found)} is not used like this. Write ${nearest}.`,
  wrong_text: ({ found, of = '' }) => `${quoted(found)} is ${wrongTexts[of] ?? 'no value that fits'}.`,
  not_supported: ({ found }) => `Conditions cannot use ${quoted(found)}.`,
  too_long: ({ found }) => `The condition has more than ${found} characters. Make several rules of it.`,
};

const words: Readonly<Record<string, string>> = {
  bool: 'true or false',
  bytes: 'bytes',
  double: 'a number',
  duration: 'a duration',
  dyn: 'a value',
  int: 'a number',
  null: 'null',
  signer: 'the name of a signer',
  string: 'a text',
  timestamp: 'a time',
  uint: 'a number',
  values: 'an object',
};

/** By the function that takes the text. */
const wrongTexts: Readonly<Record<string, string>> = {
  timestamp: 'no time. Write it with its zone, such as 2026-12-31T00:00:00Z',
  duration: 'no duration. Write hours, minutes or seconds, such as 720h for 30 days',
  matches: 'no regular expression of RE2',
};

function isNumber(type: string): boolean {
  return words[type] === 'a number';
}

function typeWords(type: string): string {
  if (Object.hasOwn(words, type)) return words[type] ?? type;
  if (type.startsWith('list(')) return 'a list';
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

function meant(nearest: string | undefined): string {
  return nearest === undefined || nearest === '' ? '' : ` Do you mean ${quoted(nearest)}?`;
}

function quoted(text: string): string {
  return `"${text}"`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
