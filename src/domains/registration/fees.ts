import { invalidArguments } from '../../kernel/errors.ts'
import type { Money } from '../../kernel/money.ts'
import { nearest } from '../../kernel/nearest.ts'
import type { NewLine } from '../orders/lines.ts'
import { minorOf } from '../orders/named-invoices.ts'
import { amountsAt, termsOf } from '../pricing/taxes.ts'
import type { AtEvent, Scene } from './scene.ts'

/** A fee is a line on an invoice of its own; taxed only where a tax is named. */
export function feeLine(
  ctx: Pick<AtEvent, 'event'>,
  scene: Scene,
  { fee, taxCode, description }: { fee: Money; taxCode: string | null; description: string },
): NewLine {
  const amount = minorOf(ctx, fee, 'fee')
  const tax = taxCode === null ? null : scene.config.taxes.find(({ code }) => code === taxCode)
  if (tax === undefined) {
    const near = nearest(
      taxCode!,
      scene.config.taxes.map(({ code }) => code),
    )
    throw invalidArguments([{ path: 'feeTaxCode', message: `no tax ${taxCode}${near === null ? '' : ` — did you mean ${near}?`}` }])
  }
  const terms = termsOf(tax)
  return {
    ...terms,
    ...amountsAt(terms, amount, 0),
    kind: 'fee',
    productCode: null,
    description,
    quantity: 1,
    unitPrice: amount,
    participantId: null,
    pricedAt: scene.at,
  }
}
