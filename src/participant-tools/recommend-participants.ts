import { toOneLine, limitArgument, list, object, text, untrustedText } from '../kernel/args.ts'
import { registrantTool } from '../kernel/participant-tool.ts'
import { z } from 'zod'
import { recommendParticipants } from '../domains/recommendations/participants.ts'

export default registrantTool({
  name: 'recommend_participants',
  title: 'Recommend people to meet',
  description:
    'Suggest other attendees and people worth meeting: networking matches, peers in their field who think along the same lines, among those who let others find them. Not for exhibitors (use recommend_companies). Returns name, job title, company, photo and shared interests, and no contact details.',
  effect: 'read',
  unidentifiedMessage: 'No participant identity available',
  input: { limit: limitArgument(10).default(5) },
  output: {
    recommendations: toOneLine(
      list(
        object({
          participantId: text(),
          name: untrustedText(),
          jobTitle: untrustedText().optional(),
          company: untrustedText().optional(),
          photoUrl: text(2000).optional(),
          aiProfile: untrustedText().optional(),
          sharedInterests: list(z.string()),
          score: z.number(),
        }),
      ),
      'participantId, name, jobTitle, company, photoUrl, aiProfile, sharedInterests[], score',
    ),
  },
  run: async (ctx, { limit }) => ({ recommendations: await recommendParticipants(ctx, ctx.person.participantId, limit) }),
})
