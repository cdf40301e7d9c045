import { flag, list, oneOf } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { getParticipantDetails, PARTICIPANT_INCLUDES, ParticipantDetails } from '../../domains/registration/find/get-participant.ts'
import { participantReference } from '../../domains/registration/find/resolve-participant.ts'

export default eventTool({
  name: 'get_participant',
  title: 'Open a registration',
  description:
    "Open one person's registration in full by confirmation number, badge, email or id: registrant, order, what she signed up for and paid, guests, group, waitlist; on request room, emails and transaction history. Not to look for people (use find_participants). Returns the full record.",
  effect: 'read',
  permission: 'registration.read',
  input: {
    participantId: participantReference('Id, confirmation number, badge id or email'),
    include: list(oneOf(PARTICIPANT_INCLUDES), PARTICIPANT_INCLUDES.length).optional(),
    includeTestData: flag().default(false),
  },
  output: ParticipantDetails,
  run: getParticipantDetails,
})
