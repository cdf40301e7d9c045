import { z } from 'zod'
import { code, count, flag, id, list, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { createTestRegistrations, checkTestRunArguments } from '../../domains/rehearsals/test-runs.ts'

const byStatus = object({
  complete: count(),
  incomplete: count(),
  waitlisted: count(),
  cancelled: count(),
})

export default eventTool({
  name: 'create_test_registrations',
  title: 'Make test registrations',
  description:
    'Fill an empty event with dummy people (fake attendees, sample or demo data for dashboards) who walk the real form: marked as test data, no mail, no place taken. Over 50 run as a job (read by runId alone). clear: true alone removes them all. Not for checking every branch (use rehearse_flow). Returns counts and failures.',
  effect: 'change',
  permission: 'registration.write',
  keyed: true,
  findArgumentErrors: checkTestRunArguments,
  input: {
    count: count(1, 500).optional(),
    flowSlug: code().optional(),
    seed: count(0, 2_147_483_647).default(1),
    mix: object({
      complete: count(0, 100).default(80),
      incomplete: count(0, 100).default(10),
      waitlisted: count(0, 100).default(5),
      cancelled: count(0, 100).default(5),
    }).default({ complete: 80, incomplete: 10, waitlisted: 5, cancelled: 5 }),
    withPayments: flag().default(true),
    withGuests: flag().default(true),
    useDraft: flag().default(true),
    clear: z.literal(true).optional(),
    runId: id('testRun').optional(),
  },
  output: {
    runId: text().optional(),
    status: oneOf(['queued', 'running', 'done', 'failed']).optional(),
    created: object({ byStatus }).optional(),
    failures: list(object({ flowSlug: text(), page: z.string(), binding: z.string(), message: z.string(), count: count() })).optional(),
    jobId: text().optional(),
    progress: object({ done: count(), total: count().nullable() }).optional(),
    error: text().optional(),
    removed: count().optional(),
  },
  run: createTestRegistrations,
})
