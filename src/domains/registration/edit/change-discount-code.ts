import { invalidArguments } from '../../../kernel/errors.ts'
import { evaluateFlow } from '../../configuration/flow/walk.ts'
import type { Flow } from '../../configuration/schema/event-config.ts'
import { toDiscountInventoryKey, returnSoldUnits, sellUnits } from '../../inventory/units.ts'
import { findDiscountCodeProblem } from '../../pricing/discounts.ts'
import type { Answers } from '../answers.ts'
import { buildDefaultBillingAddress, findDiscountCode, buildSaleContext } from '../sale/billing.ts'
import { getParticipant } from '../participant-rows.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import type { RegistrationContext, EventSnapshot } from '../event-snapshot.ts'
import { buildSoldOutError } from '../waitlist/waitlist.ts'

interface DiscountCodeChange {
  snapshot: EventSnapshot
  flow: Flow
  row: ParticipantRow
  /** All answers of the registration after the edit, including products. */
  answers: Answers
  given: readonly string[]
  /** The new discount code; null removes the code. */
  wanted: string | null
  overrideCapacity: boolean
}

/**
 * Returns the discount code for a participant's purchases: their own, or for guests the host's. A group's order has no code, because its
 * members can have different ones.
 */
export async function findPurchaseDiscountCode(
  ctx: RegistrationContext,
  { discount_code, host_id }: Pick<ParticipantRow, 'discount_code' | 'host_id'>,
): Promise<string | null> {
  return host_id === null || discount_code !== null ? discount_code : (await getParticipant(ctx, host_id)).discount_code
}

/**
 * Replaces or removes the discount code of a complete registration. The new code is validated and counted as for a new registration, and
 * the use of the old code is freed. Returns the code in the spelling of the configuration.
 */
export async function changeDiscountCode(
  ctx: RegistrationContext,
  { snapshot, flow, row, answers, given, ...change }: DiscountCodeChange,
): Promise<string | null> {
  const { wanted } = change
  const walk = evaluateFlow(snapshot.config, flow, { answers, tags: given, timezone: snapshot.timezone, now: snapshot.at })
  const held = Object.entries(answers).flatMap(([binding, quantity]) =>
    binding.startsWith('@product.') && typeof quantity === 'number' && quantity > 0
      ? [{ productCode: binding.slice('@product.'.length), quantity, tags: walk.priceTags }]
      : [],
  )
  const code = wanted === null ? null : findDiscountCode(snapshot, wanted)
  if (code !== null && code === row.discount_code) return code
  const refused =
    wanted === null
      ? null
      : findDiscountCodeProblem(buildSaleContext(snapshot, buildDefaultBillingAddress(answers)), wanted, held, walk.priceTags)
  if (refused !== null) throw invalidArguments([{ path: 'discountCode', ...refused }])
  if (row.is_test_data) return code
  const uses = (one: string | null) => (one === null ? [] : [{ key: toDiscountInventoryKey(one), quantity: 1 }])
  const full = await sellUnits(ctx, { participantId: row.id }, uses(code), { beyondCapacity: change.overrideCapacity })
  if (full !== null) throw await buildSoldOutError(ctx, snapshot.config, full)
  await returnSoldUnits(ctx, uses(row.discount_code))
  return code
}
