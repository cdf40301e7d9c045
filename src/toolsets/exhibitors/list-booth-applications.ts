import { z } from 'zod'
import {
  toOneLine,
  flag,
  list,
  oneOf,
  pageArguments,
  searchArgument,
  optionalPageResultFields,
  text,
  untrustedText,
} from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import {
  BoothApplicationShape,
  applicationNumberSchema,
  PointsBreakdown,
} from '../../domains/exhibitors/applications/application-shapes.ts'
import { APPLICATION_SORTS, listBoothApplications } from '../../domains/exhibitors/applications/list.ts'
import { APPLICATION_STATES } from '../../domains/exhibitors/states.ts'

export default eventTool({
  name: 'list_booth_applications',
  title: 'List booth applications',
  description:
    'List exhibitors who applied for space, ranked by priority points: wishes, first-choice booths, status, and who was not given a stand yet (unplaced). With applicationNumber, all of one with its points breakdown. Not for deciding or offering (manage_booth_application). Returns applications and counts by status.',
  effect: 'read',
  permission: 'exhibitors.read',
  input: {
    status: list(oneOf(APPLICATION_STATES.all), 10).optional(),
    search: searchArgument().optional(),
    minPoints: z.number().min(-1_000_000, 'at least -1,000,000').max(1_000_000, 'at most 1,000,000').optional(),
    sizeCode: text(63).optional(),
    unplaced: flag().optional(),
    applicationNumber: applicationNumberSchema().optional(),
    sort: oneOf(APPLICATION_SORTS).optional(),
    ...pageArguments,
  },
  output: {
    applications: list(BoothApplicationShape),
    counts: toOneLine(z.record(z.string(), z.number()), 'applications by status'),
    pointsBreakdown: PointsBreakdown.optional(),
    answers: toOneLine(z.record(z.string(), z.unknown()), 'by question').optional(),
    decisionNote: untrustedText().optional(),
    ...optionalPageResultFields,
  },
  run: listBoothApplications,
})
