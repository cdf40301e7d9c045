import { preconditionFailed } from '../../../kernel/errors.ts'
import { sumMinorUnits } from '../../../kernel/money.ts'
import { holdUnits } from '../../inventory/units.ts'
import type { OrderRow } from '../../orders/orders.ts'
import { findOrder } from '../../orders/orders.ts'
import { readStoredAnswers } from '../answers.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import { lockGroupOfParticipant } from '../participant-group.ts'
import { getOrderOwner } from '../sale/payer.ts'
import { getParticipant } from '../participant-rows.ts'
import { type RegistrationContext, type EventSnapshot, getFlow } from '../event-snapshot.ts'
import { evaluateSubmission, submitRegistration, type RegistrationSubmission } from '../submit.ts'
import { determineWaitlistedItem } from '../waitlist/waitlist.ts'
import type { WaitlistEntryRow } from './entries.ts'
import { planWaitlistedProductSale } from './product-fulfilment.ts'

export interface FulfilledWaitlistEntry {
  orderId: string
  invoice: { id: string; number: string; total: number } | null
}

interface Hold {
  until: Date
  beyondCapacity: boolean
}

/** How to fulfil a waiting list entry: its price, how to hold its capacity, and how to sell it. */
export interface WaitlistFulfilmentPlan {
  total: number
  /** The amount that the participant has to pay after existing credit; zero if a group or host pays. */
  due: number
  /** Holds the capacity. Returns the inventory key (such as `product:dinner`) that is sold out, or null if all capacity is held. */
  hold: (hold: Hold) => Promise<string | null>
  fulfil: (options: { beyondCapacity: boolean }) => Promise<FulfilledWaitlistEntry>
}

interface FulfilmentRequest {
  snapshot: EventSnapshot
  entry: WaitlistEntryRow
  row: ParticipantRow
  /** The time that determines the prices, if a price was already offered or charged. */
  pricedAt: Date | null
}

export async function planWaitlistFulfilment(ctx: RegistrationContext, wishing: FulfilmentRequest): Promise<WaitlistFulfilmentPlan> {
  const { entry, row } = wishing
  if (row.status === 'waitlisted') return planRegistrationFulfilment(ctx, wishing)
  if (row.status === 'complete' && entry.target.startsWith('product:')) {
    const payer = await findPayingOrder(ctx, row)
    const product = await planWaitlistedProductSale(ctx, { ...wishing, order: payer.order })
    return { ...product, due: amountDue(product.total, payer) }
  }
  throw preconditionFailed(`Cannot add products: this registration is ${row.status}.`)
}

interface Payer {
  /** The participant's order; null if it does not exist yet. */
  order: OrderRow | null
  themselves: boolean
}

async function findPayingOrder(ctx: RegistrationContext, row: ParticipantRow): Promise<Payer> {
  const owner = await getOrderOwner(ctx, row)
  return { order: await findOrder(ctx, owner), themselves: 'participantId' in owner && owner.participantId === row.id }
}

const amountDue = (total: number, { order, themselves }: Payer): number => (themselves ? Math.max(0, total + (order?.unapplied ?? 0)) : 0)

/**
 * Plans the submission of a waitlisted registration with its stored answers. Required answers were checked when it joined the waiting list.
 */
async function planRegistrationFulfilment(
  ctx: RegistrationContext,
  { snapshot, entry, row, pricedAt }: FulfilmentRequest,
): Promise<WaitlistFulfilmentPlan> {
  const submission: RegistrationSubmission = {
    snapshot,
    flow: getFlow(snapshot, row.flow_slug ?? ''),
    answers: readStoredAnswers(row),
    manualTags: row.manual_tags,
    directoryTags: row.directory_tags,
    source: row.source,
    participant: row,
    group: await lockGroupOfParticipant(ctx, row),
    host: row.host_id === null ? null : await getParticipant(ctx, row.host_id),
    guestType: row.guest_type,
    skipRequired: true,
    overrideClosed: true,
    ignoresUnusableCode: true,
    joinWaitlist: true,
    entryId: entry.id,
    pricedAt,
  }
  const plan = evaluateSubmission(submission)
  let { chosen } = plan
  const holder = { participantId: row.id, entryId: entry.id }
  const payer = await findPayingOrder(ctx, row)
  const total = () => sumMinorUnits(plan.billFor(chosen).lines.map((line) => line.total))
  return {
    // The total is final only after the capacity is held: a sold-out additional product is not sold and stays on its waiting list.
    get total() {
      return total()
    },
    get due() {
      return amountDue(total(), payer)
    },
    async hold({ until, beyondCapacity }) {
      if (snapshot.isTest) return null
      for (;;) {
        const full = await holdUnits(ctx, holder, plan.capacityFor(chosen), { until, beyondCapacity })
        const waits = full === null ? null : determineWaitlistedItem(snapshot.config, submission.flow, full)
        if (full === null || waits === null || waits === 'registration') return full
        chosen = chosen.filter(({ product }) => product.code !== waits.productCode)
      }
    },
    async fulfil({ beyondCapacity }) {
      const submitted = await submitRegistration(ctx, { ...submission, overrideCapacity: beyondCapacity })
      if (submitted.orderId === null) throw preconditionFailed('There is no longer a spot for this registration')
      return { orderId: submitted.orderId, invoice: submitted.invoice }
    },
  }
}
