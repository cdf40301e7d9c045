import { z } from 'zod'
import { count, flag, list, object, pageArguments, pageResult, searchArgument, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { listConfigItems } from '../../domains/authoring/config-items.ts'

const named = { section: text(), code: text() }

export default eventTool({
  name: 'list_event_config_items',
  title: 'List what an event is made of',
  description:
    'List what pieces an event is made of (config inventory by section) and what depends on what: items available to take over to another show and what would come along. Not for reading one (use config_explore). Returns items, dependencies and usage.',
  effect: 'read',
  toleratesLag: true,
  permission: 'clients.read',
  input: {
    section: text(60).optional(),
    search: searchArgument().optional(),
    version: text(20).default('draft').describe('draft, live or a number'),
    ...pageArguments,
  },
  output: {
    items: list(
      object({
        ...named,
        name: text(1000),
        summary: z.string(),
        retired: flag(),
        dependsOn: list(object(named), 10_000),
        usedBy: object({ config: count(), records: count(0, 100_000_000) }),
        changedSincePublish: flag(),
      }),
    ),
    sections: z.looseObject({}),
    total: count(),
    ...pageResult,
  },
  run: listConfigItems,
})
