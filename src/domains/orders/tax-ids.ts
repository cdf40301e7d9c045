import type { TaxOffices } from '../../kernel/ports.ts'
import { checkTaxNumber, withoutCountry } from '../tenancy/tax-numbers.ts'
import type { BillTo } from './tables.ts'

/** What a tax office said of a number: true or false, or nothing. */
export interface AskedTaxId {
  country: string
  taxId: string
  known: boolean | null
}

/** What is known of a number stays known; what could only be seen by its form is asked about once more. */
const isJudged = (billTo: BillTo, before: BillTo) =>
  billTo.taxId === before.taxId && billTo.country === before.country && ['valid', 'invalid'].includes(before.taxIdStatus ?? '')

/** Asks the tax office of its country about a number that may be one. Outside of any transaction: it may take its time. */
export async function askTaxOffice(offices: TaxOffices | null, billTo: BillTo, before: BillTo = {}): Promise<AskedTaxId | null> {
  const merged = { ...before, ...billTo }
  const { taxId, country } = merged
  if (!offices || taxId === undefined || country === undefined || isJudged(merged, before)) return null
  if (checkTaxNumber(country, taxId) === 'invalid') return null
  return { country, taxId, known: await offices.knows(country, withoutCountry(country, taxId)) }
}

/** An address with what is known of its tax id: what its country said, else what can be seen by its form, which never counts as valid. */
export function withTaxIdStatus(
  billTo: BillTo,
  { before = {}, asked = null }: { before?: BillTo; asked?: AskedTaxId | null } = {},
): BillTo {
  const { taxId, country } = billTo
  if (taxId === undefined || isJudged(billTo, before)) return billTo
  if (country === undefined) return { ...billTo, taxIdStatus: 'unchecked' }
  const seen = checkTaxNumber(country, taxId)
  const answer = asked?.taxId === taxId && asked.country === country ? asked.known : null
  return { ...billTo, taxIdStatus: seen === 'invalid' || answer === false ? 'invalid' : answer === true ? 'valid' : 'format_ok' }
}
