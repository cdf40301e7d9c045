import { invalidArguments } from '../../../kernel/errors.ts'
import type { Money } from '../../../kernel/money.ts'
import { findMostSimilarName } from '../../../kernel/nearest.ts'
import type { NewOrderLine } from '../../orders/lines.ts'
import { toPositiveMinorUnits } from '../../orders/named-invoices.ts'
import { computeTaxedAmounts, toApplicableTax } from '../../pricing/taxes.ts'
import type { RegistrationContext, EventSnapshot } from '../event-snapshot.ts'

/** Builds the order line of a fee for an edit. The fee is invoiced separately and is taxed only if a tax code is given. */
export function buildFeeLine(
  ctx: Pick<RegistrationContext, 'event'>,
  snapshot: EventSnapshot,
  { fee, taxCode, description }: { fee: Money; taxCode: string | null; description: string },
): NewOrderLine {
  const amount = toPositiveMinorUnits(ctx, fee, 'fee')
  const tax = taxCode === null ? null : snapshot.config.taxes.find(({ code }) => code === taxCode)
  if (tax === undefined) {
    const near = findMostSimilarName(
      taxCode!,
      snapshot.config.taxes.map(({ code }) => code),
    )
    throw invalidArguments([{ path: 'feeTaxCode', message: `no tax ${taxCode}${near === null ? '' : ` — did you mean ${near}?`}` }])
  }
  const terms = toApplicableTax(tax)
  return {
    ...terms,
    ...computeTaxedAmounts(terms, amount, 0),
    kind: 'fee',
    productCode: null,
    description,
    quantity: 1,
    unitPrice: amount,
    participantId: null,
    pricedAt: snapshot.at,
  }
}
