import { createHash } from 'node:crypto'
import { AppError, type FieldError } from '../../kernel/errors.ts'
import { sumMinorUnits } from '../../kernel/money.ts'
import { toProductInventoryKey, type InventoryQuantity } from '../inventory/units.ts'
import type { PricedOrderLine } from '../registration/sale/billing.ts'
import type { ChosenProduct } from '../registration/flows/selection.ts'
import { evaluateSubmission } from '../registration/submit.ts'
import { determineWaitlistedItem } from '../registration/waitlist/waitlist.ts'
import { type RegistrationProgress, toRegistrationSubmission } from './progress.ts'

/** The current total of a registration in progress, calculated by the same functions as a submission. */
export interface RegistrationQuote {
  lines: readonly PricedOrderLine[]
  total: number
  /**
   * The part of the total that the participant has to pay now: zero while on the waiting list; only the room deposit if their group pays.
   */
  due: number
  discountCode: string | null
  chosen: readonly ChosenProduct[]
  /** The capacity that the registration takes, without items on the waiting list. */
  capacity: readonly InventoryQuantity[]
  /** Whether the whole registration is on the waiting list. */
  waits: boolean
  /** Errors for conflicting choices and invalid codes. */
  refused: readonly FieldError[]
  /** A hash of the price and everything else that the participant confirms. If it changes before the payment, they must confirm again. */
  digest: string
}

export function buildRegistrationQuote(progress: RegistrationProgress): RegistrationQuote {
  const refused: FieldError[] = []
  const priced = planForQuote(progress, refused)
  const { snapshot, flow, stored, group, room } = progress
  const waits = stored.waits.some((key) => determineWaitlistedItem(snapshot.config, flow, key) === 'registration')
  const chosen = priced?.chosen.filter(({ product }) => !stored.waits.includes(toProductInventoryKey(product.code))) ?? []
  const bill = priced?.billFor(chosen) ?? { lines: [], discountCode: null }
  const deposit = waits ? null : (room?.deposit ?? null)
  const lines = deposit === null ? bill.lines : [...bill.lines, { ...deposit, guest: null }]
  const total = sumMinorUnits(lines.map((line) => line.total))
  const facts = lines.map(({ productCode, quantity, net, tax, guest }) => [productCode, quantity, net, tax, guest])
  const ownTotal = group?.payBy === 'group' ? (deposit?.total ?? 0) : total
  return {
    ...bill,
    lines,
    total,
    due: waits ? 0 : ownTotal,
    chosen,
    capacity: waits ? [] : (priced?.capacityFor(chosen) ?? []).filter(({ key }) => !stored.waits.includes(key)),
    waits,
    refused,
    digest: createHash('sha256')
      .update(JSON.stringify([facts, stored.waits, ...stayFacts(room)]))
      .digest('base64url')
      .slice(0, 16),
  }
}

/**
 * Lists the facts about the room that the participant confirms: dates and price of a held room; only the identity of a room on the waiting
 * list.
 */
const stayFacts = (room: RegistrationProgress['room']) => {
  if (room === null) return []
  const { hotel, type, reservation } = room
  return [
    [hotel.id, type.code, reservation && [reservation.check_in, reservation.check_out, reservation.occupants, reservation.stay_total]],
  ]
}

type Plan = ReturnType<typeof evaluateSubmission>

/**
 * Prices the submission. If the discount code is invalid, reports it and prices without it. Returns null if the choices themselves are
 * not possible.
 */
function planForQuote(progress: RegistrationProgress, refused: FieldError[]): Plan | null {
  const submission = { ...toRegistrationSubmission(progress), isQuote: true, overrideClosed: true }
  try {
    const plan = evaluateSubmission(submission)
    plan.billFor(plan.chosen)
    return plan
  } catch (error) {
    refused.push(...toFieldErrorsOrRethrow(error))
  }
  if (refused.every(({ path }) => path !== '@discount.code')) return null
  const { '@discount.code': _, ...answers } = progress.answers
  return evaluateSubmission({ ...submission, answers })
}

export function toFieldErrorsOrRethrow(error: unknown): readonly FieldError[] {
  if (!(error instanceof AppError)) throw error
  const { fields, pageReason } = error.details
  return fields ?? [{ path: '', message: error.message, ...(pageReason ? { reason: pageReason } : {}) }]
}
