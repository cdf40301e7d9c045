/** Masks an email address: shows enough of it to recognise it, but not enough to write to it. */
export function maskEmail(address: string): string {
  const at = address.lastIndexOf('@')
  const [first = ''] = address
  return `${at > 0 ? first : ''}***${at < 0 ? '' : address.slice(at)}`
}
