/** The address of the inspector. Browsers never send what follows the `#`, and the page removes it. Pure. */
export function inspectorAddress(url: string, token?: string): string {
  return `${url}/inspect/${token === undefined ? '' : `#token=${token}`}`;
}
