import { recordChange } from '../../../kernel/audit.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { preconditionFailed } from '../../../kernel/errors.ts'
import { sumMinor } from '../../../kernel/money.ts'
import { walkFlow } from '../../configuration/flow/walk.ts'
import { holdPlaces, sellPlaces } from '../../inventory/places.ts'
import { sell } from '../../orders/invoices.ts'
import type { OrderRow } from '../../orders/orders.ts'
import { answersOf } from '../answers.ts'
import { billToOf, linesFor } from '../bill.ts'
import { usableCode } from '../change-products.ts'
import { holdingsOf, quantitiesOf } from '../holdings.ts'
import { givenTags, lockOwnGroup } from '../own-group.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import { openOrderOf } from '../payer.ts'
import { getFlow, type Scene } from '../scene.ts'
import { chosenProducts } from '../selection.ts'
import { refreshTags } from '../tags.ts'
import { refuseFull } from '../waitlist.ts'
import type { EntryRow } from './entries.ts'
import type { Wish } from './wish.ts'

interface Waited {
  scene: Scene
  entry: EntryRow
  row: ParticipantRow
  order: OrderRow | null
  pricedAt: Date | null
}

/** One product for somebody who has registered: sold to them beside what they hold, by the rules for buying it. */
export async function waitedProduct(ctx: EventContext, { scene, entry, row, order, pricedAt }: Waited): Promise<Omit<Wish, 'due'>> {
  const code = entry.target.slice('product:'.length)
  const flow = getFlow(scene, row.flow_slug ?? '')
  const priced = pricedAt ? { ...scene, at: pricedAt } : scene
  const donations = new Set(scene.config.products.filter(({ category }) => category === 'donation').map((product) => product.code))
  const held = new Map([...quantitiesOf(await holdingsOf(ctx, [row.id]))].filter(([product]) => !donations.has(product)))
  const answers = {
    ...answersOf(row),
    ...Object.fromEntries([...held].map(([product, quantity]) => [`@product.${product}`, quantity])),
    [`@product.${code}`]: (held.get(code) ?? 0) + entry.quantity,
  }
  const tags = givenTags(row, await lockOwnGroup(ctx, row))
  const walk = walkFlow(scene.config, flow, { answers, tags, timezone: scene.timezone, now: priced.at })
  const wanted = chosenProducts({ config: scene.config, flow, walk, answers, currency: scene.currency, held }).find(
    ({ product }) => product.code === code,
  )
  if (!wanted) throw preconditionFailed(`${code} is no longer sold`)
  const chosen = [{ ...wanted, quantity: entry.quantity }]
  const billed = linesFor({
    scene: priced,
    chosen,
    guests: [],
    buyer: order?.bill_to ?? billToOf(answers),
    discountCode: usableCode({ scene, discountCode: order?.discount_code ?? null }, chosen),
    given: walk.priceTags,
  })
  const holder = { participantId: row.id, entryId: entry.id }
  const places = [{ key: entry.target, quantity: entry.quantity }]
  return {
    total: sumMinor(billed.lines.map((line) => line.total)),
    hold: ({ until, beyondCapacity }) =>
      scene.isTest ? Promise.resolve(null) : holdPlaces(ctx, holder, places, { until, beyondCapacity }),
    async fulfil({ beyondCapacity }) {
      const full = scene.isTest ? null : await sellPlaces(ctx, holder, places, { beyondCapacity })
      if (full !== null) throw await refuseFull(ctx, scene.config, full)
      const own = await openOrderOf(ctx, row)
      const lines = billed.lines.map(({ guest: _guest, ...line }) => ({ ...line, participantId: row.id }))
      const invoice = await sell(ctx, own, lines, scene)
      recordChange(ctx, {
        kind: 'participant',
        id: row.id,
        before: { [`@product.${code}`]: held.get(code) ?? 0 },
        after: { [`@product.${code}`]: answers[`@product.${code}`] },
      })
      await refreshTags(ctx, scene.config, [row.id])
      return { orderId: own.id, invoice }
    },
  }
}
