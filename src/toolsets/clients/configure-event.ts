import { z } from 'zod'
import { toOneLine, count, flag, ifRevision, list } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { configureEvent } from '../../domains/authoring/configure.ts'

const paths = () => list(z.string(), 10_000)

export default eventTool({
  name: 'configure_event',
  title: 'Add and change parts of an event',
  description:
    'Add many parts and settings of the draft all together in one load (bulk merge, fee table): ticket types, discount codes, taxes, policies, terms, tags, forms, custom fields; nothing is removed. Not for removing (use config_set). Returns added, updated and unchanged paths.',
  effect: 'change',
  permission: 'clients.write',
  idempotent: true,
  dryRun: true,
  input: {
    sections: toOneLine(z.looseObject({}), 'by section, as in config_explore: {"tags":[{"code","name"}]}'),
    ifRevision: ifRevision(),
  },
  output: {
    added: paths(),
    updated: paths(),
    unchanged: paths(),
    draftRevision: count(),
    warnings: list(z.string(), 10_000),
    needsPublish: flag(),
  },
  run: configureEvent,
})
