import type { MailCategory } from './email.ts'
import { invalidArguments } from './errors.ts'

const MESSAGE_ID = '<[!-;=?-~]{1,250}>'
const UNSUBSCRIBE = '<(?:https?://|mailto:)[!-;=?-~]{1,900}>'

/** The headers that a mail may carry beside those of every mail, each with the only form it takes: no value can begin another header. */
const FORMS = {
  'List-Unsubscribe': new RegExp(`^${UNSUBSCRIBE}(?:, ${UNSUBSCRIBE})?$`),
  'List-Unsubscribe-Post': /^List-Unsubscribe=One-Click$/,
  'List-Id': /^<[a-z0-9.-]{1,200}>$/,
  'Auto-Submitted': /^auto-(?:generated|replied)$/,
  Precedence: /^bulk$/,
  'In-Reply-To': new RegExp(`^${MESSAGE_ID}$`),
  References: new RegExp(`^${MESSAGE_ID}(?: ${MESSAGE_ID}){0,19}$`),
} as const

export type MailHeaders = Partial<Record<keyof typeof FORMS, string>>

/** Says of itself that no person wrote it, so that no out-of-office note answers it. */
const OF_CATEGORY: Record<MailCategory, MailHeaders> = {
  'signin.code': { 'Auto-Submitted': 'auto-generated' },
  transactional: { 'Auto-Submitted': 'auto-generated' },
  operational: { Precedence: 'bulk' },
  marketing: { Precedence: 'bulk' },
}

export function headersOf(category: MailCategory, given: MailHeaders = {}): MailHeaders {
  for (const [name, value] of Object.entries(given)) {
    const form = Object.hasOwn(FORMS, name) ? FORMS[name as keyof typeof FORMS] : null
    if (!form?.test(value))
      throw invalidArguments([{ path: 'headers', message: form ? `${name} has another form` : 'no mail carries such a header' }])
  }
  return { ...OF_CATEGORY[category], ...given }
}
