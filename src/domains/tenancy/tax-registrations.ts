import { invalidArguments } from '../../kernel/errors.ts'
import type { TaxRegistration } from './tables.ts'
import { hasTaxNumberFormat, normalizeTaxNumber } from './tax-numbers.ts'

/** Validates the formats of tax registrations, and that no two of them overlap for one country and region. */
export function validateTaxRegistrations(registrations: readonly TaxRegistration[]): TaxRegistration[] {
  const checked = registrations.map((r) => ({ ...r, number: normalizeTaxNumber(r.number) }))
  for (const [i, r] of checked.entries()) {
    if (!hasTaxNumberFormat(r.country, r.number)) {
      throw invalidArguments([
        { path: `taxRegistrations/${i}/number`, message: `${r.number} does not look like a tax number of ${r.country}` },
      ])
    }
    if (r.until !== undefined && r.until < r.from) {
      throw invalidArguments([{ path: `taxRegistrations/${i}/until`, message: `${r.until} is before from ${r.from}` }])
    }
    const other = checked.findIndex((o, j) => j < i && isSameRegion(o, r) && o.from <= (r.until ?? '9999') && r.from <= (o.until ?? '9999'))
    if (other >= 0) {
      const place = [r.country, r.region].filter(Boolean).join('-')
      throw invalidArguments([
        { path: `taxRegistrations/${i}`, message: `overlaps taxRegistrations/${other} for ${place}; end one before the other starts` },
      ])
    }
  }
  return checked
}

const isSameRegion = (a: TaxRegistration, b: TaxRegistration) => a.country === b.country && (a.region ?? '') === (b.region ?? '')
