import { createHash } from 'node:crypto'
import { AppError, type FieldError } from '../../kernel/errors.ts'
import { sumMinor } from '../../kernel/money.ts'
import { productKey, type Take } from '../inventory/places.ts'
import type { BilledLine } from '../registration/bill.ts'
import type { Chosen } from '../registration/selection.ts'
import { planOf } from '../registration/submit.ts'
import { waitsFor } from '../registration/waitlist.ts'
import { type Progress, submissionOf } from './progress.ts'

/** What it comes to so far, by the functions that a submission is priced by. */
export interface Quote {
  lines: readonly BilledLine[]
  total: number
  /** Of the total, what is to be paid by this person now: nothing while they wait for a place, and where their group pays only the deposit of their room. */
  due: number
  discountCode: string | null
  chosen: readonly Chosen[]
  /** What is taken of everything scarce, without what they wait for. */
  places: readonly Take[]
  /** Whether the registration itself waits. */
  waits: boolean
  /** What does not go together, and codes that are not good for it. */
  refused: readonly FieldError[]
  /** Changes with anything that somebody would want to know before they agree. */
  digest: string
}

export function quoteOf(progress: Progress): Quote {
  const refused: FieldError[] = []
  const priced = priceable(progress, refused)
  const { scene, flow, kept, group, room } = progress
  const waits = kept.waits.some((key) => waitsFor(scene.config, flow, key) === 'registration')
  const chosen = priced?.chosen.filter(({ product }) => !kept.waits.includes(productKey(product.code))) ?? []
  const bill = priced?.billFor(chosen) ?? { lines: [], discountCode: null }
  const deposit = waits ? null : (room?.deposit ?? null)
  const lines = deposit === null ? bill.lines : [...bill.lines, { ...deposit, guest: null }]
  const total = sumMinor(lines.map((line) => line.total))
  const facts = lines.map(({ productCode, quantity, net, tax, guest }) => [productCode, quantity, net, tax, guest])
  const ownTotal = group?.payBy === 'group' ? (deposit?.total ?? 0) : total
  return {
    ...bill,
    lines,
    total,
    due: waits ? 0 : ownTotal,
    chosen,
    places: waits ? [] : (priced?.placesFor(chosen) ?? []).filter(({ key }) => !kept.waits.includes(key)),
    waits,
    refused,
    digest: createHash('sha256')
      .update(JSON.stringify([facts, kept.waits, ...stayFacts(room)]))
      .digest('base64url')
      .slice(0, 16),
  }
}

/** A room that is held with what it costs; one that is only waited for, by its name. */
const stayFacts = (room: Progress['room']) => {
  if (room === null) return []
  const { hotel, type, reservation } = room
  return [
    [hotel.id, type.code, reservation && [reservation.check_in, reservation.check_out, reservation.occupants, reservation.stay_total]],
  ]
}

type Plan = ReturnType<typeof planOf>

/** With the code when that is good; without it, and told so, when it is not. Null where what was chosen cannot be had at all. */
function priceable(progress: Progress, refused: FieldError[]): Plan | null {
  const submission = { ...submissionOf(progress), soFar: true, overrideClosed: true }
  try {
    const plan = planOf(submission)
    plan.billFor(plan.chosen)
    return plan
  } catch (error) {
    refused.push(...faultsIn(error))
  }
  if (refused.every(({ path }) => path !== '@discount.code')) return null
  const { '@discount.code': _, ...answers } = progress.answers
  return planOf({ ...submission, answers })
}

export function faultsIn(error: unknown): readonly FieldError[] {
  if (!(error instanceof AppError)) throw error
  return error.details.fields ?? [{ path: '', message: error.message }]
}
