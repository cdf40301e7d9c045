import { z } from 'zod'
import { count, list, pageArgumentsWithoutDefault, object, oneOf, pageResult, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { countChangeImpacts } from '../../domains/authoring/impacts.ts'
import { compareConfigVersions, VersionChange } from '../../domains/configuration/compare.ts'

export default eventTool({
  name: 'diff_versions',
  title: 'Compare two versions',
  description:
    'Compare two versions (v3 with v7, or one with the draft): a before-and-after changelog of exactly what was altered; by default what would change for visitors if published now. Not for the list of releases (use list_versions). Returns each change with values and people concerned.',
  effect: 'read',
  toleratesLag: true,
  permission: 'events.read',
  input: {
    from: text(20).default('live').describe('draft, live or a version'),
    to: text(20).default('draft'),
    path: z.string().trim().max(1000).optional(),
    format: oneOf(['structured', 'text']).default('structured'),
    ...pageArgumentsWithoutDefault,
  },
  output: {
    from: text(),
    to: text(),
    changes: list(VersionChange, 10_000),
    summary: object({ bySection: z.looseObject({}), total: count() }),
    text: z.string().optional(),
    ...pageResult,
  },
  run: (ctx, input) => compareConfigVersions(ctx, input, countChangeImpacts),
})
