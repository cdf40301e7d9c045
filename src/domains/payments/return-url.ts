/** Adds the id to the return URL of the processor's page. */
export function toReturnUrl(address: string, name: 'charge' | 'setup', id: string): string {
  const url = new URL(address)
  url.searchParams.set(name, id)
  return url.href
}
