import { z } from 'zod'
import { count, list, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { exploreEventConfig } from '../../domains/authoring/explore.ts'
import { EXPLORE_RESULT_PARTS } from '../../domains/configuration/explore.ts'

export default eventTool({
  name: 'config_explore',
  title: 'Look into the event configuration',
  description:
    'Browse (look around) how an event is set up: forms, what each page holds, widgets, tickets, price tiers, at a path such as /products/gala/prices. Reads the draft, or source live or a version. Not for searching by word (use config_find). Returns values and children with paths for config_set.',
  effect: 'read',
  permission: 'events.read',
  input: {
    path: text(1000).default(''),
    depth: count(0, 4).default(1),
    source: text(20).default('draft'),
    include: list(oneOf(EXPLORE_RESULT_PARTS), 4).default(['values']),
  },
  output: {
    path: z.string(),
    source: text(),
    draftRevision: count(),
    kind: text(),
    title: text(),
    help: text().nullable(),
    valueJson: z.string().optional(),
    children: list(z.looseObject({ path: text(), kind: text(), summary: z.string() }), 10_000),
    schema: z.looseObject({}).optional(),
    issues: list(z.looseObject({})).optional(),
    usage: z.looseObject({}).optional(),
    truncated: z.literal(true).optional(),
    cutPaths: count().optional(),
    note: text(1000).optional(),
  },
  run: exploreEventConfig,
})
