import { flag, id, instant, limitArgument, list, oneOf, pageArguments, pageResult, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { AssistantMemory, retrieveAssistantMemories } from '../../domains/memories/retrieve.ts'
import { ASSISTANT_MEMORY_SCOPES } from '../../domains/memories/visibility.ts'

export default eventTool({
  name: 'retrieve_memories',
  title: 'Read memories',
  description:
    'Read notes (memories, knowledge-base entries) in full, complete wording: by ids found, all pinned, tagged or since a date. Not to find them by keyword (use search_memories). Returns whole texts, pinned first, and the ids that are missing.',
  effect: 'read',
  toleratesLag: true,
  permission: 'events.read',
  input: {
    ids: list(id('memory'), 50).min(1, 'name at least one').optional(),
    scope: oneOf(ASSISTANT_MEMORY_SCOPES).optional(),
    tags: list(text(40), 20).optional(),
    since: instant().optional(),
    pinnedOnly: flag().optional(),
    limit: limitArgument().optional(),
    cursor: pageArguments.cursor,
  },
  output: { memories: list(AssistantMemory), missing: list(text()), ...pageResult },
  run: retrieveAssistantMemories,
})
