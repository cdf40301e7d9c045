import type { TaxNumberVerifier } from '../../kernel/ports.ts'
import { checkTaxNumber, removeCountryPrefix } from '../tenancy/tax-numbers.ts'
import type { BillTo } from './tables.ts'

/** The answer of a tax office about a tax number; `known` is null if the office gave no answer. */
export interface TaxOfficeAnswer {
  country: string
  taxId: string
  known: boolean | null
}

/** Whether the tax office already confirmed this tax number and country. A number whose format alone was checked is checked again. */
const isConfirmed = (billTo: BillTo, before: BillTo) =>
  billTo.taxId === before.taxId && billTo.country === before.country && ['valid', 'invalid'].includes(before.taxIdStatus ?? '')

/** Queries the tax office of the country about a tax number. Call this outside of a transaction, because the tax office may be slow. */
export async function queryTaxOffice(
  offices: TaxNumberVerifier | null,
  billTo: BillTo,
  before: BillTo = {},
): Promise<TaxOfficeAnswer | null> {
  const merged = { ...before, ...billTo }
  const { taxId, country } = merged
  if (!offices || taxId === undefined || country === undefined || isConfirmed(merged, before)) return null
  if (checkTaxNumber(country, taxId) === 'invalid') return null
  return { country, taxId, known: await offices.isRegistered(country, removeCountryPrefix(country, taxId)) }
}

/** Sets the status of the tax number: the tax office's answer, otherwise the result of the format check, which is never `valid`. */
export function setTaxIdStatus(
  billTo: BillTo,
  { before = {}, asked: officeAnswer = null }: { before?: BillTo; asked?: TaxOfficeAnswer | null } = {},
): BillTo {
  const { taxId, country } = billTo
  if (taxId === undefined || isConfirmed(billTo, before)) return billTo
  if (country === undefined) return { ...billTo, taxIdStatus: 'unchecked' }
  const seen = checkTaxNumber(country, taxId)
  const answer = officeAnswer?.taxId === taxId && officeAnswer.country === country ? officeAnswer.known : null
  return { ...billTo, taxIdStatus: seen === 'invalid' || answer === false ? 'invalid' : answer === true ? 'valid' : 'format_ok' }
}
