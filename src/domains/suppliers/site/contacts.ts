import { email as emailType } from '../../../kernel/args.ts'
import type { SupplierContact } from '../tables.ts'
import { toSingleLine } from './text.ts'

const MAX_CONTACTS = 5

/** Builds a contact from an email address and a phone number. An invalid one is left out; null if both are invalid. */
export function buildSupplierContact({ email, phone }: { email: string | null; phone: string | null }): SupplierContact | null {
  const address = email === null ? null : (emailType().safeParse(email).data ?? null)
  const number = phone === null || !/\d{4}/.test(phone.replace(/\D/g, '')) ? null : toSingleLine(phone, 60)
  return address === null && number === null
    ? null
    : { ...(address === null ? {} : { email: address }), ...(number === null ? {} : { phone: number }) }
}

/** Reads the contact from `mailto:` and `tel:` links: the first address and the first number form one contact. */
export function readContactsFromLinks(links: readonly { href: string }[]): SupplierContact[] {
  const valuesOf = (scheme: string) => [
    ...new Set(
      links.flatMap(({ href }) => (href.toLowerCase().startsWith(scheme) ? [decode(href.slice(scheme.length).split('?')[0]!)] : [])),
    ),
  ]
  const [emails, phones] = [valuesOf('mailto:'), valuesOf('tel:')]
  const first = buildSupplierContact({ email: emails[0] ?? null, phone: phones[0] ?? null })
  const others = emails.slice(1).map((email) => buildSupplierContact({ email, phone: null }))
  return [first, ...others].flatMap((contact) => contact ?? []).slice(0, MAX_CONTACTS)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text).trim()
  } catch {
    return text.trim()
  }
}
