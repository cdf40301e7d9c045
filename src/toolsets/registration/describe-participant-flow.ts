import { z } from 'zod'
import { brief, code, flag, list } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { DescribedFlow, describeParticipantFlow } from '../../domains/registration/describe-flow.ts'
import { participantName } from '../../domains/registration/named-participant.ts'

export default eventTool({
  name: 'describe_participant_flow',
  title: 'See a form as somebody sees it',
  description:
    'Walk through the registration form the way one person sees it (a registrant, or anybody with given tags): which pages and questions they see and why not others, what they must still answer before it goes through, prices offered. Not for the order (use get_participant). Returns pages, missing answers, products.',
  effect: 'read',
  permission: 'registration.read',
  input: {
    participantId: participantName().optional(),
    flowSlug: code().optional(),
    asTags: list(code(), 50).optional(),
    answers: brief(z.record(z.string().max(200), z.unknown()), 'by binding, with flowSlug').optional(),
    draft: flag().default(false),
  },
  output: DescribedFlow,
  run: describeParticipantFlow,
})
