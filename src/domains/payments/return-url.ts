/** Adds the id of the charge or card setup to the URL that the payment page returns to. */
export function buildPaymentReturnUrl(address: string, name: 'charge' | 'setup', id: string): string {
  const url = new URL(address)
  url.searchParams.set(name, id)
  return url.href
}
