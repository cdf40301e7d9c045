import { z } from 'zod'
import { toOneLine, code, flag, list, money, object, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { scheduleSubstitutionEmails } from '../../domains/registration/due-emails.ts'
import { participantReferenceSchema, resolveParticipant } from '../../domains/registration/find/resolve-participant.ts'
import { Participant } from '../../domains/registration/participant-shape.ts'
import { substituteParticipant } from '../../domains/registration/edit/substitute.ts'

const document = () => object({ number: text(), total: money() })

export default eventTool({
  name: 'substitute_participant',
  title: 'Substitute a participant',
  description:
    'Swap an attendee for a replacement: a colleague or someone else of the company comes instead. The paid place (ticket, order, invoices, group seat) goes over, the old badge is revoked. Optional fee. Not for correcting a name (edit_participant). Returns both people and what the new one has yet to answer.',
  effect: 'change',
  permission: 'registration.write',
  openWorld: true,
  keyed: true,
  dryRun: true,
  input: {
    participantId: participantReferenceSchema(),
    replacement: toOneLine(z.record(z.string().max(200), z.unknown()), 'answers by binding').optional(),
    replacementParticipantId: participantReferenceSchema().optional(),
    transfer: toOneLine(
      object({ housing: flag().default(true), sessions: flag().default(true), guests: flag().default(false) }),
      'housing, sessions (true), guests (false)',
    ).default({ housing: true, sessions: true, guests: false }),
    fee: money().optional(),
    feeTaxCode: code().optional(),
    reprice: flag().default(false),
    reason: text(500).optional(),
    sendEmail: flag().default(true),
  },
  output: {
    from: object({ id: text(), status: text() }),
    to: toOneLine(Participant, 'as get_participant'),
    order: toOneLine(object({ number: text(), total: money(), balance: money() }), 'number, total, balance').optional(),
    moved: toOneLine(object({ lines: z.int(), housing: z.int(), sessions: z.int(), guests: z.int() }), 'lines, housing, sessions, guests'),
    dropped: object({ appointments: z.int() }),
    missing: toOneLine(list(object({ binding: text(), message: text() })), 'binding, message'),
    money: toOneLine(
      object({ creditNote: document().optional(), invoice: document().optional(), balanceAfter: money() }),
      'creditNote, invoice, balanceAfter',
    ).optional(),
  },
  // A dry run shows no confirmation number or badge id, because the real call generates other ones.
  toPreview: ({ to }) => ({ to: { ...to, confirmationNumber: undefined, badgeId: undefined } }),
  run: async (ctx, { participantId, replacementParticipantId, transfer, sendEmail, ...asked }) => {
    const leaving = await resolveParticipant(ctx, participantId)
    const coming = replacementParticipantId === undefined ? undefined : await resolveParticipant(ctx, replacementParticipantId)
    const moves = { transferGuests: transfer.guests, transferHousing: transfer.housing, transferSessions: transfer.sessions }
    const done = await substituteParticipant(ctx, leaving, { ...asked, ...moves, replacementParticipant: coming })
    if (sendEmail) await scheduleSubstitutionEmails(ctx, { from: done.from.id, to: done.to.id, isMissing: done.missing.length > 0 })
    return done
  },
})
