import { z } from 'zod'
import { toOneLine, code, flag, ifRevision, list, money, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { scheduleStatusEmail } from '../../domains/registration/due-emails.ts'
import { editParticipant } from '../../domains/registration/edit/edit.ts'
import { checkEditedTaxId } from '../../domains/registration/edit/edit-order.ts'
import { BillToInput } from '../../domains/orders/bill-to.ts'
import { participantReferenceSchema, resolveParticipant } from '../../domains/registration/find/resolve-participant.ts'
import { Participant } from '../../domains/registration/participant-shape.ts'
import { ParticipantEditBalancesSchema, toEditResult } from '../../domains/registration/edit/edit-result.ts'

export default eventTool({
  name: 'edit_participant',
  title: 'Edit a participant',
  description:
    "Fix (spelling of a surname) or change an attendee's registration: answers, email, tags, flow, products (take off: credited; add: invoiced); cancel it (credit by policy, full, none or an amount, less a fee) or reinstate it. Not for swapping in a colleague (substitute_participant). Returns what changed and the money.",
  effect: 'change',
  permission: 'registration.write',
  openWorld: true,
  keyed: true,
  dryRun: true,
  input: {
    participantId: participantReferenceSchema(),
    data: toOneLine(z.record(z.string().max(200), z.unknown()), 'answers by binding').optional(),
    addTags: list(code(), 50).optional(),
    removeTags: list(code(), 50).optional(),
    status: oneOf(['complete', 'cancelled']).optional(),
    flowSlug: code().optional(),
    credit: oneOf(['policy', 'full', 'none', 'amount']).default('policy'),
    creditAmount: money().optional(),
    fee: money().optional(),
    feeTaxCode: code().optional(),
    reason: text(500).optional(),
    keepGuests: flag().default(false),
    discountCode: code().optional(),
    billTo: BillToInput.optional(),
    reprice: flag().default(false),
    overrideCapacity: flag().default(false),
    sendEmail: flag().default(false),
    includeTestData: flag().default(false),
    ifRevision: ifRevision(),
  },
  output: {
    participant: toOneLine(Participant, 'as get_participant'),
    changed: list(text()),
    notRestored: list(text()).optional(),
    money: ParticipantEditBalancesSchema,
  },
  prefetch: async (ctx, { participantId, includeTestData, billTo }) =>
    billTo ? checkEditedTaxId(ctx, await resolveParticipant(ctx, participantId, { includeTestData }), billTo) : null,
  run: async (ctx, { participantId, includeTestData, sendEmail, ...edit }, askedTaxId) => {
    const edited = await editParticipant(ctx, await resolveParticipant(ctx, participantId, { includeTestData }), { ...edit, askedTaxId })
    if (sendEmail && edited.changed.length > 0) await scheduleStatusEmail(ctx, edited.participant)
    return toEditResult(ctx, edited)
  },
})
