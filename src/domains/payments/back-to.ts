/** The page that somebody comes back to from the processor's is told what it is about. */
export function backTo(address: string, name: 'charge' | 'setup', id: string): string {
  const url = new URL(address)
  url.searchParams.set(name, id)
  return url.href
}
