import { z } from 'zod'
import { toOneLine, code, flag, list } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { ParticipantFlowDescription, describeParticipantFlow } from '../../domains/registration/flows/describe-flow.ts'
import { participantReferenceSchema } from '../../domains/registration/find/resolve-participant.ts'

export default eventTool({
  name: 'describe_participant_flow',
  title: 'See a form as one person sees it',
  description:
    'Walk through the registration form the way one person sees it (a registrant, or anybody with given tags): which pages and questions they see and why not others, what they must still answer, prices offered. Not for the order (use get_participant). Returns pages, formats, choices (room, session ids), missing answers, products.',
  effect: 'read',
  permission: 'registration.read',
  input: {
    participantId: participantReferenceSchema().optional(),
    flowSlug: code().optional(),
    asTags: list(code(), 50).optional(),
    answers: toOneLine(z.record(z.string().max(200), z.unknown()), 'by binding').optional(),
    draft: flag().default(false),
    page: code().optional(),
  },
  output: ParticipantFlowDescription,
  run: describeParticipantFlow,
})
