const mask = '••••••';

/** The value of a setting for people to read: without a secret, and without user and password of a URL. */
export function shownValue(value: string, isSecret: boolean): string {
  return isSecret ? mask : value.replace(/^(\s*[a-z][a-z\d+.-]*:[/\\]*).*@/is, `$1${mask}@`);
}
