import { z } from 'zod'
import { count, flag, list, object, oneOf, pageArguments, pageResult, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { searchConfig } from '../../domains/configuration/find.ts'

export default eventTool({
  name: 'config_find',
  title: 'Search the event configuration',
  description:
    'Find every place where something is written, mentioned or used in the setup of an event: a word, name or question in one of the forms, by text, regex, binding, references (where-used: conditions, merge tags, badge fields) or type. Not for a known path (use config_explore). Returns paths with excerpts, the best first.',
  effect: 'read',
  permission: 'events.read',
  input: {
    text: text(200).optional(),
    regex: text(200).optional(),
    binding: text(120).optional(),
    references: text(1000).optional(),
    type: text(60).optional(),
    in: text(1000).optional(),
    source: text(20).default('draft'),
    keysOnly: flag().default(false),
    ...pageArguments,
  },
  output: {
    matches: list(
      object({ path: z.string(), title: text(), excerpt: z.string(), matched: oneOf(['key', 'value', 'reference']), context: z.string() }),
    ),
    total: count(),
    ...pageResult,
  },
  run: searchConfig,
})
