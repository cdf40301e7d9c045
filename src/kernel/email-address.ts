import { domainToASCII, domainToUnicode } from 'node:url'

// Only these characters are passed to Node's `domainToASCII`, which decodes percent signs and stops at slashes like a URL parser.
const CONVERTIBLE_DOMAIN = /^[\p{L}\p{M}\p{N}.\-\u3002\uFF0D\uFF0E\uFF61]+$/u
const PLAIN_DOMAIN = /^[\x21-\x7E]*$/
const ENCODED_LABEL = /(?:^|\.)xn--/i

/**
 * Returns the address in the form that is stored, emailed and compared, or null if its domain is invalid. The part before the @ stays as
 * typed. An internationalised domain is converted to its Unicode form (UTS 46), however it was typed: `MÜNCHEN.example` and
 * `xn--mnchen-3ya.example` both become `münchen.example`.
 */
export function toEmailAddress(typed: string): string | null {
  const at = typed.lastIndexOf('@')
  const domain = typed.slice(at + 1)
  if (at < 0 || (PLAIN_DOMAIN.test(domain) && !ENCODED_LABEL.test(domain))) return typed
  if (!CONVERTIBLE_DOMAIN.test(domain)) return null
  const encoded = domainToASCII(domain)
  const shown = domainToUnicode(encoded)
  // If the stored Unicode form did not convert back to the same ASCII domain, emails would go to another host.
  return encoded !== '' && domainToASCII(shown) === encoded ? `${typed.slice(0, at)}@${shown}` : null
}

/**
 * Returns the key by which addresses are compared; the only function that ignores their case. Only A to Z are lower-cased, as in the SQL
 * function `lanyard_fold_email`. All other letters are kept: Unicode lower-casing maps the Kelvin sign (U+212A) to k, so that a code
 * emailed to one mailbox would open the registrations of another.
 */
export const foldEmailCase = (address: string): string => lowerAscii(toEmailAddress(address) ?? address)

export const isSameEmail = (a: string, b: string): boolean => foldEmailCase(a) === foldEmailCase(b)

const lowerAscii = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
