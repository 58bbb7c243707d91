import type { BlockList } from 'node:net';
import { parseAddressList } from '../http/client-address.ts';
import { isSafeUrl } from '../http/loopback.ts';
import type { Rate } from '../rate-limits/rate-limits.ts';

/** How the text of a setting becomes a value. `parse` throws an Error that says what would be right. */
export interface SettingKind<Value> {
  /** For help texts. */
  readonly name: string;
  parse(text: string): Value;
}

export const text: SettingKind<string> = {
  name: 'text',
  parse(value) {
    if (value.trim() === '') throw new Error('must not be empty');
    return value;
  },
};

const trueSpellings = ['true', '1', 't', 'T', 'TRUE', 'True'];
const falseSpellings = ['false', '0', 'f', 'F', 'FALSE', 'False'];

/** In the spellings of Go's `strconv.ParseBool`. */
export const flag: SettingKind<boolean> = {
  name: 'true or false',
  parse(value) {
    if (trueSpellings.includes(value)) return true;
    if (falseSpellings.includes(value)) return false;
    throw new Error('must be true or false');
  },
};

export function integer(min: number, max: number): SettingKind<number> {
  return {
    name: `integer from ${min} to ${max}`,
    parse(value) {
      const number = Number(value);
      if (/^\d+$/.test(value) && number >= min && number <= max) return number;
      throw new Error(`must be an integer from ${min} to ${max}`);
    },
  };
}

const byteUnits: Record<string, number> = { '': 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

export const bytes: SettingKind<number> = {
  name: 'size, such as 512KiB or 5GiB',
  parse(value) {
    const [, amount, unit = ''] = /^(\d{1,12})(KiB|MiB|GiB)?$/.exec(value) ?? [];
    const size = Number(amount) * (byteUnits[unit] ?? Number.NaN);
    if (size >= 1 && Number.isSafeInteger(size)) return size;
    throw new Error('must be a number of bytes above 0, such as 1048576, 512KiB, 32MiB or 5GiB');
  },
};

const durationUnits: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Durations as Go writes them: `90s`, `12h`, `1h30m`, `1.5h`. The value is in milliseconds. */
export const duration: SettingKind<number> = {
  name: 'duration, such as 90s or 1h30m',
  parse(value) {
    const parts = [...value.matchAll(/(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h)/g)];
    const milliseconds = Math.floor(
      parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (durationUnits[unit] ?? 0), 0),
    );
    if (parts.map(([part]) => part).join('') === value && milliseconds > 0) return milliseconds;
    throw new Error('must be a duration above 0, such as 500ms, 90s, 1h30m or 12h');
  },
};

const longestWaitMs = 86_400_000;

/** What a timer counts: above 24 days it would run off at once. */
export const wait: SettingKind<number> = {
  name: duration.name,
  parse(value) {
    const milliseconds = duration.parse(value);
    if (milliseconds <= longestWaitMs) return milliseconds;
    throw new Error('must be at most 24h');
  },
};

export function choice<const Option extends string>(...options: Option[]): SettingKind<Option> {
  return {
    name: options.join(', '),
    parse(value) {
      const found = options.find((option) => option === value);
      if (found !== undefined) return found;
      throw new Error(`must be one of ${options.join(', ')}`);
    },
  };
}

export const httpUrl: SettingKind<string> = {
  name: 'URL',
  parse(value) {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (url && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, '');
    throw new Error('must be an http or https URL');
  },
};

/** For servers that are told secrets: https, or this machine. Kept without slashes at its end. */
export const safeHttpUrl: SettingKind<string> = {
  name: 'https URL',
  parse(value) {
    const url = httpUrl.parse(value);
    if (isSafeUrl(new URL(url)) && isPlainUrl(url)) return url;
    throw new Error(safeUrlProblem);
  },
};

/** An issuer is compared as text (OpenID Connect Discovery 1.0, section 4.3), so that it is kept as it is written. */
export const issuerUrl: SettingKind<string> = {
  name: 'https URL',
  parse(value) {
    if (URL.canParse(value) && isSafeUrl(new URL(value)) && isPlainUrl(value)) return value;
    throw new Error(safeUrlProblem);
  },
};

const safeUrlProblem =
  'must be an https URL (http on this machine alone) without user, password, query and fragment';

function isPlainUrl(text: string): boolean {
  const { username, password } = new URL(text);
  return username === '' && password === '' && !/[?#\s]/.test(text);
}

/** What names of claims begin with. Kept without slashes at its end. */
export const claimNamespace: SettingKind<string> = {
  name: 'URI',
  parse(value) {
    if (/^[\x21-\x7e]*[^/\s]\/*$/.test(value)) return value.replace(/\/+$/, '');
    throw new Error('must be what names of claims begin with, such as https://example.org');
  },
};

export const addressList: SettingKind<BlockList> = {
  name: 'addresses and networks, separated by commas',
  parse: parseAddressList,
};

/** So many in such a time: `30/1m`. */
export const rate: SettingKind<Rate> = {
  name: 'count per period, such as 30/1m',
  parse(value) {
    const [, points = '', time = ''] = /^(\d{1,6})\/(.+)$/.exec(value) ?? [];
    const perMs = time === '' ? 0 : wait.parse(time);
    if (Number(points) >= 1 && perMs >= 1_000) return { points: Number(points), perMs };
    throw new Error('must be a number and a time of 1s to 24h, such as 30/1m');
  },
};

export const redisUrl: SettingKind<string> = {
  name: 'redis:// or rediss:// URL',
  parse(value) {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (url && /^rediss?:$/.test(url.protocol) && url.hostname !== '' && /^\/?\d{0,5}$/.test(url.pathname))
      return value;
    throw new Error('must be a URL such as redis://host:6379 or rediss://user:password@host:6379/0');
  },
};

/** What names of keys begin with: no colon, which comes after it, and no braces, which mean a cluster's slot. */
export const keyPrefix: SettingKind<string> = {
  name: 'letters, digits, hyphen, underscore and dot',
  parse(value) {
    if (/^[\w.-]{1,100}$/.test(value)) return value;
    throw new Error('must be up to 100 letters, digits, -, _ or .');
  },
};

export const mongodbUrl: SettingKind<string> = {
  name: 'MongoDB connection string',
  parse(value) {
    if (/^mongodb(?:\+srv)?:\/\/[^/\s]/.test(value)) return value;
    throw new Error('must be a MongoDB connection string, such as mongodb://user:password@host:27017/');
  },
};

/** Databases of MongoDB's own; names are the same in capitals. */
const ownDatabases = ['admin', 'config', 'local'];

/** Names that every MongoDB accepts for the database of somebody else. */
export const databaseName: SettingKind<string> = {
  name: 'database name',
  parse(value) {
    if (!/^[\w-]{1,63}$/.test(value)) throw new Error('must be 1 to 63 letters, digits, "_" or "-"');
    if (ownDatabases.includes(value.toLowerCase())) throw new Error('must be no database of MongoDB itself');
    return value;
  },
};
