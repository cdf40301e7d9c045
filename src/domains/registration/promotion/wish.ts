import { preconditionFailed } from '../../../kernel/errors.ts'
import { sumMinor } from '../../../kernel/money.ts'
import { holdPlaces } from '../../inventory/places.ts'
import type { EventContext } from '../../../kernel/context.ts'
import type { OrderRow } from '../../orders/orders.ts'
import { findOrderOf } from '../../orders/orders.ts'
import { answersOf } from '../answers.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import { lockOwnGroup } from '../own-group.ts'
import { payerOf } from '../payer.ts'
import { getParticipant } from '../people.ts'
import { getFlow, type Scene } from '../scene.ts'
import { planOf, submit, type Submission } from '../submit.ts'
import { waitsFor } from '../waitlist.ts'
import type { EntryRow } from './entries.ts'
import { waitedProduct } from './waited-product.ts'

export interface Fulfilled {
  orderId: string
  invoice: { id: string; number: string; total: number } | null
}

interface Hold {
  until: Date
  beyondCapacity: boolean
}

/** What somebody waits for, as it can be given to them: its price, its places, and how it becomes theirs. */
export interface Wish {
  total: number
  /** What the person has to pay for it, after credit that they have; nothing where a group or a host pays. */
  due: number
  /** Returns the key that is full. */
  hold: (hold: Hold) => Promise<string | null>
  fulfil: (options: { beyondCapacity: boolean }) => Promise<Fulfilled>
}

interface Wishing {
  scene: Scene
  entry: EntryRow
  row: ParticipantRow
  /** Of another moment than this, where a price was promised or charged. */
  pricedAt: Date | null
}

export async function wishOf(ctx: EventContext, wishing: Wishing): Promise<Wish> {
  const { entry, row } = wishing
  if (row.status === 'waitlisted') return waitingRegistration(ctx, wishing)
  if (row.status === 'complete' && entry.target.startsWith('product:')) {
    const payer = await payingOrder(ctx, row)
    const product = await waitedProduct(ctx, { ...wishing, order: payer.order })
    return { ...product, due: dueOf(product.total, payer) }
  }
  throw preconditionFailed(`The registration is ${row.status}, so nothing can be given to it`)
}

interface Payer {
  /** Null: there is none yet. */
  order: OrderRow | null
  themselves: boolean
}

async function payingOrder(ctx: EventContext, row: ParticipantRow): Promise<Payer> {
  const owner = await payerOf(ctx, row)
  return { order: await findOrderOf(ctx, owner), themselves: 'participantId' in owner && owner.participantId === row.id }
}

const dueOf = (total: number, { order, themselves }: Payer): number => (themselves ? Math.max(0, total + (order?.unapplied ?? 0)) : 0)

/** A registration that waits as a whole is submitted as it was left. What must be answered was answered then. */
async function waitingRegistration(ctx: EventContext, { scene, entry, row, pricedAt }: Wishing): Promise<Wish> {
  const submission: Submission = {
    scene,
    flow: getFlow(scene, row.flow_slug ?? ''),
    answers: answersOf(row),
    manualTags: row.manual_tags,
    directoryTags: row.directory_tags,
    source: row.source,
    participant: row,
    group: await lockOwnGroup(ctx, row),
    host: row.host_id === null ? null : await getParticipant(ctx, row.host_id),
    guestType: row.guest_type,
    skipRequired: true,
    overrideClosed: true,
    joinWaitlist: true,
    entryId: entry.id,
    pricedAt,
  }
  const plan = planOf(submission)
  let { chosen } = plan
  const holder = { participantId: row.id, entryId: entry.id }
  const payer = await payingOrder(ctx, row)
  const total = () => sumMinor(plan.billFor(chosen).lines.map((line) => line.total))
  return {
    // What is full by itself is waited for by itself, so the price is known once places are held.
    get total() {
      return total()
    },
    get due() {
      return dueOf(total(), payer)
    },
    async hold({ until, beyondCapacity }) {
      if (scene.isTest) return null
      for (;;) {
        const full = await holdPlaces(ctx, holder, plan.placesFor(chosen), { until, beyondCapacity })
        const waits = full === null ? null : waitsFor(scene.config, submission.flow, full)
        if (full === null || waits === null || waits === 'registration') return full
        chosen = chosen.filter(({ product }) => product.code !== waits.productCode)
      }
    },
    async fulfil({ beyondCapacity }) {
      const submitted = await submit(ctx, { ...submission, overrideCapacity: beyondCapacity })
      if (submitted.orderId === null) throw preconditionFailed('There is no place for this registration any more')
      return { orderId: submitted.orderId, invoice: submitted.invoice }
    },
  }
}
