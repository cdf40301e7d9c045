import { z } from 'zod'
import { toOneLine, code, count, flag, limitArgument, list, object, text, untrustedText } from '../kernel/args.ts'
import { registrantTool } from '../kernel/participant-tool.ts'
import { recommendCompanies } from '../domains/recommendations/companies.ts'

export default registrantTool({
  name: 'recommend_companies',
  title: 'Recommend exhibitors',
  description:
    "Match the person with relevant exhibitors, vendors and must-see stands on the show floor that they shouldn't miss, by what they are into (robotics, AI), their profile and what people like them met. Book with book_exhibitor_appointment, find them with get_booth_map. Returns companies with score, reasons, booth and next free slot, and what it is based on.",
  effect: 'read',
  unidentifiedMessage: 'No participant identity available',
  input: { limit: limitArgument(25).default(10), category: code().optional(), excludeMet: flag().default(true) },
  output: {
    companies: toOneLine(
      list(
        object({
          companyId: text(),
          name: untrustedText(),
          boothNumber: text().optional(),
          categories: list(text()),
          score: count(0, 100),
          reasons: list(object({ kind: text(), codes: list(z.string()) })),
          nextSlot: object({ slotId: text(), startsAt: text(), localStart: text() }).optional(),
        }),
      ),
      'companyId, name, boothNumber, categories[], score, reasons[] (kind, codes[]), nextSlot',
    ),
    basedOn: list(text()),
  },
  run: (ctx, request) => recommendCompanies(ctx, ctx.person.participantId, request),
})
