import { invalidArguments } from '../../kernel/errors.ts'
import { walkFlow } from '../configuration/flow/walk.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { discountKey, freePlaces, sellPlaces } from '../inventory/places.ts'
import { refusedDiscount } from '../pricing/discounts.ts'
import type { Answers } from './answers.ts'
import { billToOf, codeOf, saleOf } from './bill.ts'
import type { ParticipantRow } from './participant-shape.ts'
import type { AtEvent, Scene } from './scene.ts'
import { refuseFull } from './waitlist.ts'

interface ChangingCode {
  scene: Scene
  flow: Flow
  row: ParticipantRow
  /** All that holds after the edit, products among them. */
  answers: Answers
  given: readonly string[]
  /** Null: without one from now on. */
  wanted: string | null
  overrideCapacity: boolean
}

/**
 * Gives somebody who has registered another code, or none: what they register with is checked and counted as if they did so now, and the
 * use of the former one comes back. Returns the code as it is written in the configuration.
 */
export async function changeCode(ctx: AtEvent, { scene, flow, row, answers, given, ...change }: ChangingCode): Promise<string | null> {
  const { wanted } = change
  const walk = walkFlow(scene.config, flow, { answers, tags: given, timezone: scene.timezone, now: scene.at })
  const held = Object.entries(answers).flatMap(([binding, quantity]) =>
    binding.startsWith('@product.') && typeof quantity === 'number' && quantity > 0
      ? [{ productCode: binding.slice('@product.'.length), quantity, tags: walk.priceTags }]
      : [],
  )
  const code = wanted === null ? null : codeOf(scene, wanted)
  if (code !== null && code === row.discount_code) return code
  const refused = wanted === null ? null : refusedDiscount(saleOf(scene, billToOf(answers)), wanted, held, walk.priceTags)
  if (refused !== null) throw invalidArguments([{ path: 'discountCode', message: refused }])
  if (row.is_test_data) return code
  const uses = (one: string | null) => (one === null ? [] : [{ key: discountKey(one), quantity: 1 }])
  const full = await sellPlaces(ctx, { participantId: row.id }, uses(code), { beyondCapacity: change.overrideCapacity })
  if (full !== null) throw await refuseFull(ctx, scene.config, full)
  await freePlaces(ctx, uses(row.discount_code))
  return code
}
