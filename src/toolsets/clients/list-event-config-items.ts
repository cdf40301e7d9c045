import { z } from 'zod'
import { count, flag, list, object, page, pageResult, search, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { listConfigItems } from '../../domains/authoring/config-items.ts'

const named = { section: text(), code: text() }

export default eventTool({
  name: 'list_event_config_items',
  title: 'List what an event is made of',
  description:
    'List (inventory) the items of an event configuration, with what each needs and what uses it, as copy_event_config takes them. Not for reading one in full (use config_explore). Returns items and counts by section.',
  effect: 'read',
  permission: 'clients.read',
  input: {
    section: text(60).optional(),
    search: search().optional(),
    version: text(20).default('draft').describe('draft, live or a number'),
    ...page,
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
