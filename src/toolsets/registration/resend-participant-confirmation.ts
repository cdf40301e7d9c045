import { code, count, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { participantReferenceSchema } from '../../domains/registration/find/resolve-participant.ts'
import { resendConfirmation } from '../../domains/registration/resend.ts'

export default eventTool({
  name: 'resend_participant_confirmation',
  title: 'Resend a confirmation email',
  description:
    'Mail a person the confirmation (letter, receipt) of their registration once more, when nothing landed in the inbox: written with current data, with invoices as PDF; those who did not finish get a link. Only to the saved address, 5 a day. Not for correcting it (use edit_participant). Returns address and subject.',
  effect: 'change',
  permission: 'registration.write',
  openWorld: true,
  keyed: true,
  input: { participantId: participantReferenceSchema(), emailCode: code().optional() },
  output: { queued: count(0, 1), to: text(), emailCode: text().nullable(), subject: text(1000) },
  run: resendConfirmation,
})
