import { recordChange } from '../../../kernel/audit.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { toFlowInventoryKey, returnSoldUnits, sellUnits } from '../../inventory/units.ts'
import { type Answers, readStoredAnswers, toParticipantAnswerColumns } from '../answers.ts'
import { changeDiscountCode } from './change-discount-code.ts'
import type { EditedRegistration } from './edited-registration.ts'
import type { ParticipantEditStepInput } from './participant-edit.ts'
import { collectAssignedTags } from '../participant-group.ts'
import { updateParticipant } from '../participant-rows.ts'
import { hasSeat } from '../sale/holdings.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import { buildSoldOutError } from '../waitlist/waitlist.ts'

/** Writes the edited answers, tags, flow and discount code to the participant row. */
export async function updateRegistration(
  ctx: EventContext,
  step: ParticipantEditStepInput,
  edited: EditedRegistration,
): Promise<ParticipantRow> {
  const { row, outcome } = step
  const { flow, stored, given, answers, manualTags } = edited
  const formerFlow = step.snapshot.config.flows.find(({ slug }) => slug === row.flow_slug)
  const isSeated = hasSeat(row, formerFlow)
  if (isSeated) await moveSeatToFlow(ctx, step, edited)
  const updated = await updateParticipant(ctx, row, {
    ...toClearedColumns(given),
    ...toParticipantAnswerColumns(row.status === 'complete' ? dropPurchases(answers) : answers),
    manual_tags: manualTags,
    flow_slug: flow.slug,
    // The settings of the new flow do not decide about the seat that a guest of an earlier version took.
    ...(row.host_id !== null && row.flow_slug !== flow.slug ? { counts_toward_capacity: isSeated } : {}),
    discount_code: await readDiscountCode(ctx, step, edited),
  })
  outcome.changed.push(
    ...recordChange(ctx, {
      kind: 'participant',
      id: row.id,
      before: { ...stored, manualTags: row.manual_tags, flowSlug: row.flow_slug, discountCode: row.discount_code },
      after: {
        ...readStoredAnswers(updated),
        manualTags: updated.manual_tags,
        flowSlug: updated.flow_slug,
        discountCode: updated.discount_code,
      },
    }),
  )
  return updated
}

async function moveSeatToFlow(
  ctx: EventContext,
  { snapshot, row, edit }: ParticipantEditStepInput,
  { flow }: EditedRegistration,
): Promise<void> {
  if (row.flow_slug === flow.slug || row.status !== 'complete' || row.is_test_data) return
  const full = await sellUnits(ctx, { participantId: row.id }, [{ key: toFlowInventoryKey(flow.slug), quantity: 1 }], {
    beyondCapacity: edit.overrideCapacity,
  })
  if (full !== null) throw await buildSoldOutError(ctx, snapshot.config, full)
  if (row.flow_slug !== null) await returnSoldUnits(ctx, [{ key: toFlowInventoryKey(row.flow_slug), quantity: 1 }])
}

/**
 * Returns the new discount code. Only complete registrations count as a use of a code, so uses are recounted only for complete
 * registrations.
 */
async function readDiscountCode(
  ctx: EventContext,
  { snapshot, row, edit }: ParticipantEditStepInput,
  edited: EditedRegistration,
): Promise<string | null> {
  const { flow, group, given, answers } = edited
  if (row.status !== 'complete' || !('@discount.code' in given)) return row.discount_code
  const code = given['@discount.code']
  return changeDiscountCode(ctx, {
    snapshot,
    flow,
    row,
    answers,
    given: collectAssignedTags(row, group),
    wanted: typeof code === 'string' ? code : null,
    overrideCapacity: edit.overrideCapacity,
  })
}

/**
 * Removes products, sessions and discount code from the answers, because a complete registration stores them with its order and enrolments.
 */
const dropPurchases = (answers: Answers): Answers =>
  Object.fromEntries(Object.entries(answers).filter(([binding]) => !/^@(product|discount|session)\./.test(binding)))

/** Returns the columns of answers that the edit clears, each set to null. */
function toClearedColumns(given: Answers) {
  const cleared = Object.fromEntries(Object.entries(given).filter(([, value]) => value === null))
  const { custom_field_responses: _custom, answers: _answers, ...columns } = toParticipantAnswerColumns(cleared)
  return columns
}
