import { flag, list, oneOf } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { getParticipantDetails, PARTICIPANT_DETAIL_SECTIONS, ParticipantDetails } from '../../domains/registration/find/get-participant.ts'
import { participantReferenceSchema } from '../../domains/registration/find/resolve-participant.ts'

export default eventTool({
  name: 'get_participant',
  title: 'Open a registration',
  description:
    "Open one person's registration in full by confirmation number, badge, email or id: registrant, order, what she signed up for and paid, guests, group, waitlist; on request room, emails and transaction history. Not to look for people (use find_participants). Returns the full record.",
  effect: 'read',
  permission: 'registration.read',
  input: {
    participantId: participantReferenceSchema('Id, confirmation number, badge id or email'),
    include: list(oneOf(PARTICIPANT_DETAIL_SECTIONS), PARTICIPANT_DETAIL_SECTIONS.length).optional(),
    includeTestData: flag().default(false),
  },
  output: ParticipantDetails,
  run: getParticipantDetails,
})
