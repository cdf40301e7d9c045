import { describe, expect, it } from 'vitest'
import { readSources, type Source } from './sources.ts'

/** The only file that may ignore the case of an email address. */
const FOLDING_FILE = 'src/kernel/email-address.ts'

const RULES = [
  /(?:email|recipient|to_?address|mailbox)\w*(?:\]|!|\?|\)| \?\? ''|\.trim\(\))*\.to(?:Locale)?(?:Lower|Upper)Case\(\)/i,
  // SQL text that folds an email column or an interpolated value.
  /\b(?:lower|upper)\([^)`]*(?:email|to_address)/i,
  // SQL text that compares a key column with a folded value.
  /\b(?:email|address)_norm\s*=\s*(?:lower|upper)\(/i,
]

const problems = (sources: readonly Source[]) =>
  sources.filter(({ path, text }) => path !== FOLDING_FILE && RULES.some((rule) => rule.test(text))).map(({ path }) => path)

const planted = (text: string): Source => ({ path: 'src/domains/groups/admins.ts', text })

describe('conversion of email addresses to lower case', () => {
  it('converts email addresses to lower case in one source file only', () => {
    expect(problems(readSources())).toEqual([])
    expect(readSources().filter(({ path }) => path === FOLDING_FILE)).toHaveLength(1)
  })

  it.each([
    "where('email_norm', '=', email.toLowerCase())",
    'scan.staffEmail?.toLowerCase()',
    'mailing.to.email.trim().toLowerCase()',
    'sql`email_norm = lower(${person.email})`',
    'sql`lower(to_address) = ${address}`',
    'sql`x.email_norm = lower(${place})`',
  ])('reports code that converts an email address to another case: %s', (text) => {
    expect(problems([planted(text)])).toHaveLength(1)
  })

  it.each([
    "where('email_norm', '=', foldEmailCase(email))",
    'sql`lanyard_fold_email(to_address)`',
    'code.toLowerCase()',
    'sql`lower(u.name)`',
  ])('does not report code that converts no email address to another case: %s', (text) => {
    expect(problems([planted(text)])).toEqual([])
  })
})
