const mask = '••••••';

/** Masks a secret, and the user and password in a URL. */
export function shownValue(value: string, isSecret: boolean): string {
  return isSecret ? mask : value.replace(/^(\s*[a-z][a-z\d+.-]*:[/\\]*).*@/is, `$1${mask}@`);
}
