import { z } from 'zod'
import { count, list, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { impactsOf } from '../../domains/authoring/impacts.ts'
import { compareVersions, VersionChange } from '../../domains/configuration/compare.ts'

export default eventTool({
  name: 'diff_versions',
  title: 'Compare two versions',
  description:
    'Compare two versions of an event configuration, or one with the draft (diff); by default what publishing now would change. Use path for one part, format text for sentences. Not for the list of versions (use list_versions). Returns each change with path, kind, values before and after, people concerned, and a summary.',
  effect: 'read',
  permission: 'events.read',
  input: {
    from: text(20).default('live').describe('draft, live or a version'),
    to: text(20).default('draft'),
    path: z.string().trim().max(1000).optional(),
    format: oneOf(['structured', 'text']).default('structured'),
  },
  output: {
    from: text(),
    to: text(),
    changes: list(VersionChange, 10_000),
    summary: object({ bySection: z.looseObject({}), total: count() }),
    text: z.string().optional(),
    truncated: z.literal(true).optional(),
    note: z.string().optional(),
  },
  run: (ctx, input) => compareVersions(ctx, input, impactsOf),
})
