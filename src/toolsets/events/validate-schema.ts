import { z } from 'zod'
import { count, flag, list, pageArgumentsWithoutDefault, object, oneOf, pageResult, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { validateConfigDocument } from '../../domains/authoring/validate-schema.ts'
import { ISSUE_LEVELS, issueListSchema } from '../../domains/configuration/issues.ts'

export default eventTool({
  name: 'validate_schema',
  title: 'Check the event configuration',
  description:
    'Check (lint) the draft for errors that stop publishing: broken references that point to nothing, orphaned answers, wrong data types, dangling options. Or try a value at a path unsaved. Not for how a form reads and branches (use review_flow). Returns issues by level, and whether anything is blocking.',
  effect: 'read',
  permission: 'events.read',
  input: {
    source: text(20).default('draft'),
    path: z.string().max(1000).optional(),
    candidateJson: z.string().max(2_100_000).optional(),
    levels: list(oneOf(ISSUE_LEVELS), 4).optional(),
    withSchema: flag().default(false),
    ...pageArgumentsWithoutDefault,
  },
  output: {
    valid: flag(),
    publishable: flag(),
    counts: object({ structure: count(), reference: count(), orphan: count(), warning: count() }),
    issues: issueListSchema(),
    schema: z.looseObject({}).optional(),
    checkedRevision: count(),
    ...pageResult,
  },
  run: validateConfigDocument,
})
