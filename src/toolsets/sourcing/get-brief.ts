import { toOneLine, count, id, list, pageArguments, optionalPageResultFields } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { getOrListBriefs } from '../../domains/briefs/get.ts'
import { BRIEF_DETAIL_FIELDS_TEXT, BRIEF_SUMMARY_FIELDS_TEXT, BriefDetail, BriefSummary } from '../../domains/briefs/shapes.ts'

export default eventTool({
  name: 'get_brief',
  title: 'Show our written venue requirements',
  description:
    'Show the venue requirements (sourcing brief, meeting specs) that we wrote down, what we said we needed: answers, gaps, room nights, peak, area, frozen versions and RFPs; without briefId, all briefs. To answer questions use start_or_advance_brief. Returns the brief or briefs.',
  effect: 'read',
  toleratesLag: true,
  permission: 'sourcing.read',
  input: { briefId: id('brief').optional(), version: count(1, 100_000).optional(), ...pageArguments },
  output: {
    brief: toOneLine(BriefDetail, BRIEF_DETAIL_FIELDS_TEXT).optional(),
    briefs: list(toOneLine(BriefSummary, BRIEF_SUMMARY_FIELDS_TEXT)).optional(),
    ...optionalPageResultFields,
  },
  findArgumentErrors: ({ briefId, limit, cursor }) =>
    briefId === undefined
      ? []
      : Object.entries({ limit, cursor })
          .filter(([, value]) => value !== undefined)
          .map(([path]) => ({ path, message: 'is not allowed with briefId, which shows one brief' })),
  run: getOrListBriefs,
})
