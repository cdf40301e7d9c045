import type { EmailCategory } from './email.ts'
import { invalidArguments } from './errors.ts'

const MESSAGE_ID = '<[!-;=?-~]{1,250}>'
const UNSUBSCRIBE = '<(?:https?://|mailto:)[!-;=?-~]{1,900}>'

/** Optional email headers and the only accepted format of each, which prevents header injection. */
const HEADER_PATTERNS = {
  'List-Unsubscribe': new RegExp(`^${UNSUBSCRIBE}(?:, ${UNSUBSCRIBE})?$`),
  'List-Unsubscribe-Post': /^List-Unsubscribe=One-Click$/,
  'List-Id': /^<[a-z0-9.-]{1,200}>$/,
  'Auto-Submitted': /^auto-(?:generated|replied)$/,
  Precedence: /^bulk$/,
  'In-Reply-To': new RegExp(`^${MESSAGE_ID}$`),
  References: new RegExp(`^${MESSAGE_ID}(?: ${MESSAGE_ID}){0,19}$`),
} as const

export type EmailHeaders = Partial<Record<keyof typeof HEADER_PATTERNS, string>>

/** Headers by category of email. `Auto-Submitted` and `Precedence` prevent out-of-office replies. */
const HEADERS_BY_CATEGORY: Record<EmailCategory, EmailHeaders> = {
  'signin.code': { 'Auto-Submitted': 'auto-generated' },
  transactional: { 'Auto-Submitted': 'auto-generated' },
  operational: { Precedence: 'bulk' },
  marketing: { Precedence: 'bulk' },
}

export function buildEmailHeaders(category: EmailCategory, given: EmailHeaders = {}): EmailHeaders {
  for (const [name, value] of Object.entries(given)) {
    const form = Object.hasOwn(HEADER_PATTERNS, name) ? HEADER_PATTERNS[name as keyof typeof HEADER_PATTERNS] : null
    if (!form?.test(value))
      throw invalidArguments([
        { path: 'headers', message: form ? `${name} has an invalid format` : 'this header is not allowed in an email' },
      ])
  }
  return { ...HEADERS_BY_CATEGORY[category], ...given }
}
